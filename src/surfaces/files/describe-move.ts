import type { Described } from '../../authority/ports.ts';
import { CountersignError } from '../../base/errors.ts';
import type { Precondition } from '../../model/content.ts';
import { change, parentFor, type WritableWorld } from './describe.ts';
import type { MovedEntry, MoveEffect } from '../../model/file-effect.ts';
import { mustBeAbsent, mustBeFile } from './fingerprint.ts';
import { hashOf } from './hash.ts';
import { FILE_LIMITS } from './limits.ts';
import { isWithin, join, type RelativePath } from './resource.ts';
import { treeOf, type TreeNode } from './tree.ts';
import { noVerdict } from './verdict.ts';
import { bytesOf, locate, type World } from './world.ts';

/** Moves or renames a file, or a folder with all that is in it. */
export function describeMove(world: WritableWorld, from: RelativePath, to: RelativePath): Described {
  const source = locate(world, from, 'refuse');
  if (source.entry.type === 'absent') throw new CountersignError('not-found', `source: ${from} does not exist.`);
  if (isWithin(to, from)) throw new CountersignError('bad-input', `destination: ${to} lies in ${from} itself.`);
  if (locate(world, to, 'refuse').entry.type !== 'absent')
    throw new CountersignError('bad-input', `destination: ${to} exists already.`);
  const parent = parentFor(world, to);
  const nodes = treeOf(world, source, FILE_LIMITS.moveBytesMax);
  const parts = nodes.map((node) => moved(world, node, from));
  const entries = parts.map((part) => part.entry);
  const effect: MoveEffect = { op: 'move', from, to, entries };
  return change({
    effect,
    preconditions: [...parts.map((part) => part.must), mustBeAbsent(to), parent],
    writes: [...entries.map(({ path }) => join(from, path)), ...entries.map(({ path }) => join(to, path))],
    verdict: noVerdict('A move changes what other files find.'),
    reversibleWhy: 'It can be moved back.',
  });
}

export function movedText(from: RelativePath, to: RelativePath): string {
  return `Successfully moved ${from} to ${to}`;
}

function moved(
  world: World,
  node: TreeNode,
  from: RelativePath,
): { readonly entry: MovedEntry; readonly must: Precondition } {
  const path = node.path.slice(from.length + 1);
  if (node.file === undefined) return { entry: { type: 'dir', path, mode: node.mode }, must: node.holds };
  const { content, bytes, mode } = node.file;
  const sha256 =
    content.at === 'blob' ? content.sha256 : hashOf(bytesOf(world, node.path, node.file, FILE_LIMITS.moveBytesMax));
  return { entry: { type: 'file', path, sha256, bytes, mode }, must: mustBeFile(node.path, sha256, mode) };
}
