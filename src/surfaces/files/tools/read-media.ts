import { posix } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as z from 'zod';
import type { ReadTool } from '../../../authority/ports.ts';
import { CountersignError } from '../../../base/errors.ts';
import type { ContentBlock } from '../../../model/tool-result.ts';
import { FILE_LIMITS } from '../limits.ts';
import type { FilesContext } from '../context.ts';
import { bytesOf } from '../world.ts';
import { defineTool } from './define.ts';
import { find, READS, readTool } from './read-tool.ts';

const MIME_TYPES: ReadonlyMap<string, string> = new Map([
  ['.png', 'image/png'],
  ['.jpg', 'image/jpeg'],
  ['.jpeg', 'image/jpeg'],
  ['.gif', 'image/gif'],
  ['.webp', 'image/webp'],
  ['.bmp', 'image/bmp'],
  ['.svg', 'image/svg+xml'],
  ['.mp3', 'audio/mpeg'],
  ['.wav', 'audio/wav'],
  ['.ogg', 'audio/ogg'],
  ['.flac', 'audio/flac'],
]);

const readMediaFile = defineTool({
  name: 'read_media_file',
  title: 'Read Media File',
  description:
    'Read any file as base64: pictures and sound as such, everything else as an embedded resource with its MIME type.',
  annotations: READS,
  schema: z.strictObject({ path: z.string() }),
});

export function readMediaTool(context: FilesContext): ReadTool {
  return readTool(context, readMediaFile, (world, args) => {
    const { path, entry } = find(world, args.path, 'path');
    if (entry.type !== 'file')
      throw new CountersignError('bad-input', `path: ${path || '.'} is no regular file that could be read.`);
    const data = Buffer.from(bytesOf(world, path, entry, FILE_LIMITS.readBytesMax)).toString('base64');
    return { content: [block(posix.join(world.ground.root, path), data)] };
  });
}

function block(absolute: string, data: string): ContentBlock {
  const mimeType = MIME_TYPES.get(posix.extname(absolute).toLowerCase()) ?? 'application/octet-stream';
  if (mimeType.startsWith('image/')) return { type: 'image', data, mimeType };
  if (mimeType.startsWith('audio/')) return { type: 'audio', data, mimeType };
  return { type: 'resource', resource: { uri: pathToFileURL(absolute).href, mimeType, blob: data } };
}
