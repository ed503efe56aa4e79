import { utf8 } from '../../base/bytes.ts';

/** The text, cut at a code point and marked when it has more UTF-8 bytes than a record may carry. */
export function clip(text: string, bytesMax: number): string {
  // No text has more than three bytes a UTF-16 unit.
  if (text.length * 3 <= bytesMax || utf8(text).length <= bytesMax) return text;
  let clipped = '';
  let bytes = utf8('…').length;
  for (const point of text) {
    bytes += utf8(point).length;
    if (bytes > bytesMax) break;
    clipped += point;
  }
  return `${clipped}…`;
}
