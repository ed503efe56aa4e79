import type { LinkState } from '../sync/contract.ts';
import type { Connection } from './types.ts';

/** One word for all links of a replica: as good as the best of them, and what is wrong with any. */
export function connectionOf(states: readonly LinkState[], hasHead: boolean): Connection {
  const trouble = troubleOf(states);
  if (states.some((each) => each.state === 'online')) return { state: 'online', trouble };
  const tries = states.some((each) => each.state === 'connecting' || each.state === 'loading');
  if (trouble !== null && !tries) return { state: 'offline', trouble };
  // Before anything is known there is nothing to connect to but the head, which is being asked for.
  return { state: tries || !hasHead ? 'connecting' : 'offline', trouble };
}

function troubleOf(states: readonly LinkState[]): Connection['trouble'] {
  const bad = states.find((each) => each.state === 'stopped') ?? states.find((each) => each.state === 'waiting');
  return bad === undefined ? null : { reason: bad.reason, sentence: bad.sentence };
}
