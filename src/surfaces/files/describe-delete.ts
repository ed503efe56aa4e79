import type { Described } from '../../authority/ports.ts';
import { CountersignError } from '../../base/errors.ts';
import type { Precondition } from '../../model/content.ts';
import { change, keep, type WritableWorld } from './describe.ts';
import type { DeleteEffect, KeptEntry } from '../../model/file-effect.ts';
import { mustBeFile } from './fingerprint.ts';
import { FILE_LIMITS } from './limits.ts';
import type { RelativePath } from './resource.ts';
import { treeOf, type TreeNode } from './tree.ts';
import { noVerdict } from './verdict.ts';
import { locate } from './world.ts';

/** Deletes a file, an empty folder, or with `recursive` a folder and all that is in it. Copies of all bytes are kept. */
export function describeDelete(
  world: WritableWorld,
  path: RelativePath,
  options: { readonly recursive: boolean },
): Described {
  const located = locate(world, path, 'refuse');
  if (located.entry.type === 'absent') throw new CountersignError('not-found', `path: ${path} does not exist.`);
  const nodes = treeOf(world, located, FILE_LIMITS.treeBytesMax);
  if (nodes.length > 1 && !options.recursive)
    throw new CountersignError(
      'bad-input',
      `path: ${path} is not empty; say recursive: true to delete all that is in it.`,
    );
  const parts = nodes.map((node) => deleted(world, node, path));
  const effect: DeleteEffect = { op: 'delete', path, entries: parts.map((part) => part.entry) };
  return change({
    effect,
    preconditions: parts.map((part) => part.must),
    writes: nodes.map((node) => node.path),
    verdict: noVerdict('Deletes are decided one by one.'),
    reversibleWhy: 'Copies are kept and can be put back.',
  });
}

export function deletedText(path: RelativePath): string {
  return `Successfully deleted ${path}`;
}

function deleted(
  world: WritableWorld,
  node: TreeNode,
  from: RelativePath,
): { readonly entry: KeptEntry; readonly must: Precondition } {
  const path = node.path.slice(from.length + 1);
  if (node.file === undefined) return { entry: { type: 'dir', path, mode: node.mode }, must: node.holds };
  const content = keep(world, node.path, node.file);
  const { mode } = node.file;
  return { entry: { type: 'file', path, content, mode }, must: mustBeFile(node.path, content.$blob, mode) };
}
