import { parseActionId, parseSessionId } from '../model/ids.ts';
import { parsed, text } from '../base/shape.ts';
import { utf8 } from '../base/bytes.ts';

/** Readers of the members that many signed records share. */
export const session = parsed(parseSessionId);
export const action = parsed(parseActionId);

/** UTF-8 bytes of a reason the authority gives: in a receipt, or in an audit entry, which must stay small. */
export const WHY_BYTES_MAX = 1024;
export const why = text({ bytesMax: WHY_BYTES_MAX });

/** The text, cut at a code point so that it is a valid `why`, and marked when it was cut. */
export function clipWhy(full: string): string {
  if (utf8(full).length <= WHY_BYTES_MAX) return full;
  let clipped = '';
  let bytes = utf8('…').length;
  for (const point of full) {
    bytes += utf8(point).length;
    if (bytes > WHY_BYTES_MAX) break;
    clipped += point;
  }
  return `${clipped}…`;
}
