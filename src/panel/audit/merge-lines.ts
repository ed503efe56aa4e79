import type { AuditLine } from '../../replica/types.ts';

/** Pages lie side by side or overlap. What is newer than a gap begins the list anew: no list may hide that something is missing. */
export function mergeLines(known: readonly AuditLine[], page: readonly AuditLine[]): readonly AuditLine[] {
  const [first] = page;
  const last = page.at(-1);
  const [top] = known;
  const bottom = known.at(-1);
  if (first === undefined || last === undefined || top === undefined || bottom === undefined)
    return page.length === 0 ? known : page;
  if (last.seq > top.seq + 1) return page;
  const newer = page.filter(({ seq }) => seq > top.seq);
  const older = page.filter(({ seq }) => seq < bottom.seq);
  return newer.length + older.length === 0 ? known : [...newer, ...known, ...older];
}
