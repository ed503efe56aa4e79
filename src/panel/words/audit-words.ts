import type { AuditLine } from '../../replica/types.ts';

/** How it became known that an effect happened; that nobody had to ask needs no words. */
const KNOWN: ReadonlyMap<string, string | null> = new Map([
  ['surface', null],
  ['probe', 'found by a look at its target'],
  ['settled', 'said by a person'],
]);

/** What an entry of the log says, in words: the log itself keeps the names of its format. */
export function auditWords({ kind, why }: Pick<AuditLine, 'kind' | 'why'>): {
  readonly what: string;
  readonly why: string | null;
} {
  const known = why !== null && (kind === 'applied' || kind === 'not-applied') ? KNOWN.get(why) : undefined;
  return { what: kind.replaceAll('-', ' '), why: known === undefined ? why : known };
}
