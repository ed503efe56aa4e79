import { toBase32 } from '../base/bytes.ts';
import { fenceText } from '../model/fence-text.ts';
import { noticeText } from '../model/notice-facts.ts';
import type { Core } from './core.ts';
import type { Session } from './session.ts';

/** Notices told in one answer; more wait for the next call. Keeps an answer readable, and bounded. */
const NOTICES_PER_ANSWER = 20;

/** What is to be told now. Nobody else tells it while it is neither told nor put back. */
export interface Due {
  readonly texts: readonly string[];
  /** Strikes them off with the next commit: a crash before that tells them again rather than never. */
  told(): void;
  putBack(): void;
}

/** What the session must be told now, oldest first. Each is told once. */
export async function takeNotices(core: Core, session: Session): Promise<readonly string[]> {
  const due = await dueNotices(core, session);
  due?.told();
  return due?.texts ?? [];
}

/** The same for whoever only may be able to tell it; `undefined` when there is nothing. */
export async function dueNotices(core: Core, session: Session): Promise<Due | undefined> {
  if (core.options.journal.health.state === 'quarantined') return undefined;
  // Nobody is told of what a crash could still take back.
  if (session.notices.length > 0) await core.store.idle();
  const { generation } = core.store;
  const due = session.notices.splice(0, NOTICES_PER_ANSWER);
  const last = due.at(-1);
  if (last === undefined) return undefined;
  const fence = (text: string, from: string): string =>
    fenceText(text, { nonce: toBase32(core.random.bytes(16)), from });
  return {
    texts: due.map(({ facts }) => noticeText(facts, fence)),
    told: () => {
      for (const { n } of due) core.store.drop('notice', `${session.record.id}/${n}`);
      core.store.stage({ kind: 'notices-told', session: session.record.id, through: last.n });
      core.commit().catch(() => undefined); // Core has reported it; at worst the notice is told again.
    },
    putBack: () => {
      // Memory that was filled from the journal meanwhile has them already.
      if (core.store.generation === generation) session.notices.unshift(...due);
    },
  };
}
