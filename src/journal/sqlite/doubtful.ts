import type { HeadRecord } from './head-record.ts';

export interface Attempt {
  readonly actionSeq: number;
  readonly attempt: number;
  /** The attempt to take it back; these are counted apart from the attempts to apply it. */
  readonly revert?: true;
}

type Family = 'effect' | 'revert';

/** Kinds after which an intent of the family is no longer open: its end is known. */
const BEGINS: ReadonlyMap<string, Family> = new Map([
  ['intent-recorded', 'effect'],
  ['revert-begun', 'revert'],
]);
const ENDS: ReadonlyMap<string, Family> = new Map([
  ['attempt-voided', 'effect'],
  ['applied', 'effect'],
  ['failed', 'effect'],
  ['not-applied', 'effect'],
  ['reverted', 'revert'],
  ['revert-refused', 'revert'],
]);

/** Intents the head log has witnessed in rows after `trusted`: what became of them nobody knows. */
export function intentsAfter(records: readonly HeadRecord[], trusted: number): readonly Attempt[] {
  return distinct(records.filter((record) => record.seq > trusted && BEGINS.has(record.kind)));
}

/** Intents whose end the head log has not witnessed. */
export function openIntents(records: readonly HeadRecord[]): readonly Attempt[] {
  const open = new Map<string, HeadRecord>();
  for (const record of records) {
    const begun = BEGINS.get(record.kind);
    const ended = ENDS.get(record.kind);
    if (begun !== undefined) open.set(`${begun} ${record.actionSeq}`, record);
    if (ended !== undefined) open.delete(`${ended} ${record.actionSeq}`);
  }
  return distinct([...open.values()]);
}

function distinct(records: readonly HeadRecord[]): readonly Attempt[] {
  const attempts = records.map(({ actionSeq, attempt, kind }): Attempt => {
    return BEGINS.get(kind) === 'revert' ? { actionSeq, attempt, revert: true } : { actionSeq, attempt };
  });
  return [...new Map(attempts.map((one) => [attemptName(one), one])).values()];
}

/** One attempt's name among all of a journal. */
export function attemptName({ actionSeq, attempt, revert }: Attempt): string {
  return `${actionSeq}/${revert === true ? 'r' : ''}${attempt}`;
}
