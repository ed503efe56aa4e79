import type { ActionContent } from '../../src/model/content.ts';
import { parseDigest, workspaceId } from '../../src/model/ids.ts';
import { assert } from '../../src/base/assert.ts';

/** A digest that names nothing: 64 times one hexadecimal digit. */
export function digestOf(digit: string): ActionContent['toolDigest'] {
  const digest = parseDigest(digit.repeat(64));
  assert(digest.ok, 'a digest for a test is one hexadecimal digit');
  return digest.value;
}

/** The content of a file write, with what a test wants otherwise. */
export function contentOf(changes: Partial<ActionContent> = {}): ActionContent {
  return {
    v: 1,
    workspace: workspaceId(new Uint8Array(16)),
    kind: { tag: 'file.write', label: 'Write a file' },
    tool: 'write_file',
    toolDigest: digestOf('a'),
    arguments: { path: 'src/app.ts', content: 'hello\n' },
    effect: { path: 'src/app.ts' },
    preconditions: [],
    writes: ['file:src/app.ts'],
    effectClass: 'E1',
    reversible: true,
    awaitDecision: false,
    lane: null,
    ...changes,
  };
}
