import { givenBackBecause } from '../../model/list-back.ts';
import type { QueueRow } from '../../model/owner-port.ts';
import type { Asked } from '../device/gestures.ts';
import type { ItemReport } from './report.ts';
import type { Source } from './source.ts';

/** Milliseconds between two looks at a list that is being looked over: nothing of it changes when that has ended well. */
const LOOK_MS = 250;

/**
 * What became of a list that counts whole or not at all (DR-11): the runtime takes it, looks it over, and may give it back.
 * `why`: the sentence that says so; `null` where it was not given back.
 */
export async function lookedOver(
  source: Source,
  asked: Asked,
  reports: readonly ItemReport[],
): Promise<{ readonly why: string | null; readonly reports: readonly ItemReport[] }> {
  const ids = new Set(reports.filter(({ result }) => result === 'received').map(({ id }) => id));
  const whole = asked.kind === 'approve' && asked.body?.['mode'] === 'all-or-none' && ids.size > 1;
  if (!whole || source.runtime === null) return { why: null, reports };
  let rows: readonly QueueRow[];
  for (;;) {
    rows = (await source.queue({ all: false })).filter(({ id }) => ids.has(id));
    const looking = rows.filter(({ gate }) => gate?.code === 'bulk');
    if (looking.length === 0) break;
    await source.runtime.waitForChange(Object.fromEntries(looking.map(({ id, state }) => [id, state])), LOOK_MS);
  }
  const pending = new Map<string, QueueRow>(
    rows.filter(({ state }) => state === 'pending').map((row) => [row.id, row]),
  );
  const why = [...pending.values()].find((row) => givenBackBecause(row.why) !== null)?.why ?? null;
  if (why === null) return { why, reports };
  return {
    why,
    reports: reports.map((report) =>
      pending.has(report.id) ? { ...report, why: report.why ?? why, state: 'pending' } : report,
    ),
  };
}
