import * as z from 'zod';
import type { ReadTool } from '../../../authority/ports.ts';
import { textOf } from '../../../base/bytes.ts';
import { CountersignError } from '../../../base/errors.ts';
import { FILE_LIMITS } from '../limits.ts';
import { textResult } from '../simulate.ts';
import type { FilesContext } from '../context.ts';
import { linesOf } from '../text-edit.ts';
import { bytesOf, type World } from '../world.ts';
import { defineTool } from './define.ts';
import { find, READS, readTool } from './read-tool.ts';

const LOSSY =
  'This file is not valid UTF-8: what could not be decoded is shown as U+FFFD. edit_file refuses such files.';
const lines = z.number().int().min(0).optional();

const readTextFile = defineTool({
  name: 'read_text_file',
  title: 'Read Text File',
  description:
    'Read a text file, exactly as it is, with the changes that still wait for a decision. ' +
    'With head or tail only its first or last lines.',
  annotations: READS,
  schema: z.strictObject({
    path: z.string(),
    head: lines.describe('Only this many lines from the start.'),
    tail: lines.describe('Only this many lines from the end.'),
  }),
});

const readMultipleFiles = defineTool({
  name: 'read_multiple_files',
  title: 'Read Multiple Files',
  description:
    'Read several text files at once. Each is answered with its path; one that cannot be read does not stop the others.',
  annotations: READS,
  schema: z.strictObject({ paths: z.array(z.string()).min(1).max(FILE_LIMITS.manyFilesMax) }),
});

export function readTextTools(context: FilesContext): readonly ReadTool[] {
  return [
    readTool(context, readTextFile, (world, { path, head, tail }) => {
      if (head && tail) throw new CountersignError('bad-input', 'head: cannot be given together with tail.');
      const { text, exact } = read(world, path, FILE_LIMITS.readBytesMax);
      const shown = head ? linesOf(text).slice(0, head).join('') : tail ? linesOf(text).slice(-tail).join('') : text;
      return exact ? textResult(shown) : textResult(shown, LOSSY);
    }),
    readTool(context, readMultipleFiles, (world, { paths }) => {
      let left: number = FILE_LIMITS.manyBytesMax;
      const parts = paths.map((path) => {
        try {
          const { text, bytes } = read(world, path, Math.min(left, FILE_LIMITS.readBytesMax));
          left -= bytes;
          return `${path}:\n${text}\n`;
        } catch (error) {
          if (!CountersignError.is(error)) throw error;
          return `${path}: Error - ${error.message}`;
        }
      });
      return textResult(parts.join('\n---\n'));
    }),
  ];
}

function read(
  world: World,
  path: string,
  bytesMax: number,
): { readonly text: string; readonly exact: boolean; readonly bytes: number } {
  const located = find(world, path, 'path');
  if (located.entry.type !== 'file')
    throw new CountersignError('bad-input', `path: ${located.path || '.'} is no regular file that could be read.`);
  const bytes = bytesOf(world, located.path, located.entry, bytesMax);
  const text = textOf(bytes);
  return {
    text: text ?? new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes),
    exact: text !== undefined,
    bytes: bytes.length,
  };
}
