import type { Added } from '../model/caps.ts';
import type { ActionContent } from '../model/content.ts';
import { payloadBytes } from './blob-refs.ts';

/** What an action takes of its session's room (CP-1): its first target stands for all it writes. */
export function loadOf(content: ActionContent): Added {
  return { targets: content.writes.slice(0, 1), bytes: payloadBytes(content.effect) };
}
