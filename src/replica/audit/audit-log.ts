import type { AuditLine, AuditLog } from '../types.ts';
import type { Core } from '../core.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { lineOf } from './lines.ts';
import { entryOf, type Tiles } from './tiles.ts';
import { verifyAudit } from './verify.ts';

/** Lines of one answer: what a list shows at once, and a little more. */
const PAGE_MAX = 500;

/** The audit log of one workspace, as far as it is here or can be fetched. */
export function openAuditLog(core: Core, workspace: Workspace, tiles: Tiles): AuditLog {
  return {
    get size() {
      return Math.max(tiles.open?.last ?? 0, workspace.witnesses.newest?.size ?? 0);
    },
    page: ({ before, limit }) => pageOf(workspace, tiles, before, Math.min(limit, PAGE_MAX)),
    verify: (onProgress) => verifyAudit(core, workspace, tiles, onProgress),
  };
}

async function pageOf(
  workspace: Workspace,
  tiles: Tiles,
  before: number | undefined,
  limit: number,
): Promise<readonly AuditLine[]> {
  const view = workspace.view();
  const open = tiles.open;
  const newest = workspace.witnesses.newest?.size ?? 0;
  if (before === undefined) await open?.reaches(newest);
  const numbers = open?.reader.numbers ?? [];
  const lines: AuditLine[] = [];
  let seq = (before ?? Math.max(open?.last ?? 0, newest) + 1) - 1;
  for (; seq > 0 && lines.length < limit && isIn(numbers, seq); seq--) {
    if (open !== undefined) lines.push(lineOf(view, seq, entryOf(open.reader, seq)));
  }
  while (seq > 0 && lines.length < limit) {
    const tile = await tiles.tileOf(seq);
    // What is not in a full tile is in the open one, and has not come yet.
    if (tile === undefined) break;
    const reader = await tiles.read(tile);
    for (; seq >= tile.from && lines.length < limit; seq--) lines.push(lineOf(view, seq, entryOf(reader, seq)));
  }
  return lines;
}

/** An open tile holds its numbers without gaps. */
function isIn(numbers: readonly number[], seq: number): boolean {
  const [first] = numbers;
  const last = numbers.at(-1);
  return first !== undefined && last !== undefined && first <= seq && seq <= last;
}
