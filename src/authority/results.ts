import { utf8 } from '../base/bytes.ts';
import { canonicalText, parseCanonical } from '../base/canonical-json.ts';
import type { Action } from '../model/action.ts';
import { INLINE_BYTES_MAX } from '../model/content.ts';
import type { Digest } from '../model/ids.ts';
import type { StoredResult, ToolResult } from '../model/tool-result.ts';
import type { Core } from './core.ts';

/** Most answers are one short line, which a blob of its own would cost more than it holds. */
export function storedResult(result: ToolResult, putBlob: (bytes: Uint8Array) => Digest): StoredResult {
  const bytes = utf8(canonicalText(result));
  return bytes.length <= INLINE_BYTES_MAX ? { inline: result } : { blob: putBlob(bytes) };
}

/** The tool's own answer as it was simulated or as it came back. */
export function resultOf(core: Core, { result }: Action): ToolResult {
  if (result === null) return { content: [] };
  if ('inline' in result) return result.inline;
  // reason: the blob was made by `storedResult`, and its hash is checked when it is read
  return parseCanonical(core.store.blob(result.blob)) as unknown as ToolResult;
}
