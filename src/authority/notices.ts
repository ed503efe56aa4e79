import { toBase32 } from '../base/bytes.ts';
import { fenceText } from '../model/fence-text.ts';
import { noticeText } from '../model/notice-facts.ts';
import type { Core } from './core.ts';
import type { Session } from './session.ts';

/** Notices told in one answer; more wait for the next call. Keeps an answer readable, and bounded. */
const NOTICES_PER_ANSWER = 20;

/**
 * What the session must be told now, oldest first. Each is told once: it is struck off with the next commit, so a
 * crash before that tells it again rather than never.
 */
export async function takeNotices(core: Core, session: Session): Promise<readonly string[]> {
  if (core.options.journal.health.state === 'quarantined') return [];
  // Nobody is told of what a crash could still take back.
  if (session.notices.length > 0) await core.store.idle();
  const due = session.notices.splice(0, NOTICES_PER_ANSWER);
  const last = due.at(-1);
  if (last === undefined) return [];
  const fence = (text: string, from: string): string =>
    fenceText(text, { nonce: toBase32(core.random.bytes(16)), from });
  for (const { n } of due) core.store.drop('notice', `${session.record.id}/${n}`);
  core.store.stage({ kind: 'notices-told', session: session.record.id, through: last.n });
  core.commit().catch(() => undefined); // Core has reported it; at worst the notice is told again.
  return due.map(({ facts }) => noticeText(facts, fence));
}
