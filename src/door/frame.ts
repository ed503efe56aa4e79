import { concat, textOf, utf8 } from '../base/bytes.ts';
import { CountersignError } from '../base/errors.ts';
import { DOOR_LIMITS } from './limits.ts';

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

export interface LineSplitter {
  /** Takes the next bytes. Keeps no view of them. */
  push(bytes: Uint8Array): void;
}

/**
 * Cuts a stream of bytes into lines of UTF-8 text; empty lines are skipped.
 *
 * Limits: a line longer than `lineBytesMax`, or one that is not UTF-8, is a fault; after a fault every further byte
 * is dropped unread, so that memory stays bounded whatever arrives.
 */
export function lineSplitter(handlers: {
  readonly line: (text: string) => void;
  readonly fault: (error: CountersignError) => void;
  readonly lineBytesMax?: number;
}): LineSplitter {
  const lineBytesMax = handlers.lineBytesMax ?? DOOR_LIMITS.lineBytesMax;
  let parts: Uint8Array[] = [];
  let heldBytes = 0;
  let broken = false;

  const fail = (message: string): void => {
    broken = true;
    parts = [];
    handlers.fault(new CountersignError('bad-input', message));
  };

  /** Ends the line that `tail` completes; false after a fault. */
  const finish = (tail: Uint8Array): boolean => {
    const whole = parts.length === 0 ? tail : concat(...parts, tail);
    parts = [];
    heldBytes = 0;
    const bytes = whole.at(-1) === CARRIAGE_RETURN ? whole.subarray(0, -1) : whole;
    if (bytes.length === 0) return true;
    const text = textOf(bytes);
    if (text === undefined) {
      fail('A line is not UTF-8.');
      return false;
    }
    handlers.line(text);
    return true;
  };

  /** Takes the bytes from `at` on; answers where the next line begins, or -1 when nothing is left to take. */
  const takeOne = (bytes: Uint8Array, at: number): number => {
    const end = bytes.indexOf(NEWLINE, at);
    const until = end === -1 ? bytes.length : end;
    if (heldBytes + until - at > lineBytesMax) {
      fail(`A line may have ${lineBytesMax} bytes at most.`);
      return -1;
    }
    if (end !== -1) return finish(bytes.subarray(at, end)) ? end + 1 : -1;
    if (until > at) parts.push(bytes.slice(at, until));
    heldBytes += until - at;
    return -1;
  };

  return {
    push(bytes) {
      let at = broken ? -1 : 0;
      while (at !== -1) at = takeOne(bytes, at);
    },
  };
}

/** True when the line's UTF-8 bytes are within the cap that the other side enforces. */
export function fitsLine(line: string): boolean {
  // A UTF-16 unit is 3 bytes of UTF-8 at most: only a line near the cap is worth encoding to count.
  return line.length * 3 <= DOOR_LIMITS.lineBytesMax || utf8(line).length <= DOOR_LIMITS.lineBytesMax;
}
