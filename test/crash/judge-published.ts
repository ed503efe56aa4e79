import { verifyHeadLog, verifySqliteJournal } from '../../src/journal/sqlite/index.ts';
import { messageOf } from '../../src/base/errors.ts';
import type { CrashPlace } from '../support/crash-home.ts';
import { bookFolder, openPublishingHome } from '../support/crash-publish-home.ts';
import { settled } from '../support/crash-scenes.ts';
import { CrashWindow } from './window.ts';

/** Milliseconds after which what is not shown yet never will be: generous, for only what is wrong takes them. */
const SHOWN_MS = 20_000;

/**
 * Starts the home again over what a fault has left, opens the window again over what it has kept, and holds what it sees
 * against the journal: the same actions in the same states, nothing of its own without a receipt, a log that is whole.
 */
export async function judgePublished(place: CrashPlace, before: CrashWindow | undefined): Promise<readonly string[]> {
  const wrong: string[] = [];
  const watch = {
    onAlarm: (text: string) => void wrong.push(text),
    onFatal: (error: unknown) => void wrong.push(messageOf(error)),
  };
  const home = await openPublishingHome(place, watch);
  const after = await CrashWindow.open(place, { decides: false, storage: before?.storage });
  try {
    const { authority } = home;
    const isSame = (): boolean => {
      const rows = authority.queue({ all: true });
      const { states } = after;
      const same = rows.length === states.size && rows.every(({ id, state }) => states.get(id) === state);
      return same && after.workspace?.loaded === 'live' && after.replica.snapshot().outgoing.length === 0;
    };
    // What the window had saved comes first, and what that begins ends.
    if (!(await after.sees(isSame, SHOWN_MS))) wrong.push(`the window sees ${seenIn(after)}`);
    await settled(home, () => undefined, SHOWN_MS);
    if (!(await after.sees(isSame, SHOWN_MS))) {
      const rows = authority.queue({ all: true }).map(({ id, state }) => `${id.slice(0, 4)} ${state}`);
      wrong.push(`the window sees ${seenIn(after)}, and the journal says ${rows.join(', ')}`);
    }
    const { alarms } = after.replica.snapshot();
    wrong.push(...alarms.map(({ kind, sentence }) => `the window has an alarm: ${kind}, ${sentence}`));
    wrong.push(...[...(before?.faults ?? []), ...after.faults].map((fault) => `the window met ${messageOf(fault)}`));
    if (after.workspace !== undefined) {
      const verdict = await after.replica.audit(after.workspace.id).verify(() => undefined);
      if (verdict.result !== 'ok') wrong.push(`the window finds the log ${verdict.result}: ${verdict.why}`);
    }
  } finally {
    await after.close();
    await home.stop();
  }
  const dir = bookFolder(place);
  return [...wrong, ...verifySqliteJournal({ dir }).faults, ...verifyHeadLog(dir).faults];
}

function seenIn({ replica, states, workspace }: CrashWindow): string {
  const shown = [...states].map(([id, state]) => `${id.slice(0, 4)} ${state}`).join(', ') || 'nothing';
  const { connection, outgoing } = replica.snapshot();
  return `${shown} (${connection.state}, ${workspace?.loaded ?? 'no workspace'}, ${outgoing.length} without a receipt)`;
}
