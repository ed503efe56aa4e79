import { AGENT_CALLS } from './agent-calls.ts';
import { DECISIONS } from './decisions.ts';
import { AGENT_DOOR, OWNER_DOOR } from './doors.ts';
import { INBOX_ENTRIES } from './inbox-entries.ts';
import { RELAY_FRAMES } from './relay-frames.ts';
import { REPLICA_FRAMES } from './replica-frames.ts';
import type { Target } from './target.ts';
import { UPDATES } from './updates.ts';

/** Everything that takes bytes from outside. */
export const TARGETS: readonly Target<unknown>[] = [
  DECISIONS,
  INBOX_ENTRIES,
  UPDATES,
  RELAY_FRAMES,
  REPLICA_FRAMES,
  AGENT_DOOR,
  OWNER_DOOR,
  AGENT_CALLS,
];
