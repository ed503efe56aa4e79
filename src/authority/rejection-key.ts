import type { Digest } from '../model/ids.ts';
import type { Session } from './session.ts';

/** Where a session's remembered rejection of a digest stands in the `meta` table (SM-8). */
export function rejectionKey(session: Session, digest: Digest): string {
  return `rejected:${session.record.root}:${digest}`;
}
