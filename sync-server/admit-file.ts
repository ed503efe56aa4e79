import { readFileSync } from 'node:fs';
import type { Json } from '../src/base/canonical-json.ts';
import { CountersignError, messageOf } from '../src/base/errors.ts';
import { list, read, record, text, whole, wrong, type Reader } from '../src/base/shape.ts';
import type { AdmitToken } from './options.ts';

const ADMIT_LIMITS = {
  /** Characters of a token: as many as 128 bits take in base64url, and short enough for a header. */
  tokenCharsMin: 22,
  tokenCharsMax: 256,
  nicknameBytesMax: 64,
  roomsMax: 64,
  roomBytesMax: 256,
  /** Lines of a file. */
  tokensMax: 4_096,
} as const;

/** Characters that stand in a subprotocol and in a header without quotes. */
const token: Reader<string> = (value, at) => {
  const { tokenCharsMax, tokenCharsMin } = ADMIT_LIMITS;
  if (typeof value !== 'string' || !/^[\w.~-]+$/.test(value)) wrong(at, 'must be letters, digits and - . _ ~');
  if (value.length < tokenCharsMin || value.length > tokenCharsMax)
    wrong(at, `must have ${tokenCharsMin} to ${tokenCharsMax} characters`);
  return value;
};

const time: Reader<number> = (value, at) => {
  const ms = typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(ms)) wrong(at, 'must be a date: 2027-01-31 or 2027-01-31T12:00:00Z');
  return ms;
};

const admitLine = record(
  { token, nickname: text({ bytesMin: 1, bytesMax: ADMIT_LIMITS.nicknameBytesMax }) },
  {
    rooms: list(text({ bytesMin: 1, bytesMax: ADMIT_LIMITS.roomBytesMax }), { max: ADMIT_LIMITS.roomsMax }),
    bytes: whole(0),
    expires: time,
  },
);

/**
 * The tokens of a file, one JSON object a line: `{"token", "nickname", "rooms"?, "bytes"?, "expires"?}`. Sentences name
 * the line and never the token.
 *
 * Throws: `not-found` for a file that cannot be read; `bad-input` for a line that is not understood.
 */
export function readAdmitFile(path: string): readonly AdmitToken[] {
  const lines = contentsOf(path).split('\n');
  const tokens = lines.flatMap((line, index) => (line.trim() === '' ? [] : [readLine(line, `${path}:${index + 1}`)]));
  if (tokens.length > ADMIT_LIMITS.tokensMax)
    throw new CountersignError('bad-input', `${path} may hold ${ADMIT_LIMITS.tokensMax} tokens at most.`);
  for (const key of ['token', 'nickname'] as const)
    if (new Set(tokens.map((each) => each[key])).size !== tokens.length)
      throw new CountersignError('bad-input', `${path} has the same ${key} twice.`);
  return tokens;
}

function contentsOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    // The errors of the file system name the path and the reason.
    throw new CountersignError('not-found', `The file of tokens cannot be read: ${messageOf(cause)}.`, { cause });
  }
}

function readLine(line: string, at: string): AdmitToken {
  const parsed = read(admitLine, jsonOf(line, at));
  if (!parsed.ok) throw new CountersignError('bad-input', `${at}: ${parsed.error}`);
  const { expires, ...rest } = parsed.value;
  return expires === undefined ? rest : { ...rest, expiresMs: expires };
}

function jsonOf(line: string, at: string): Json {
  try {
    // reason: JSON.parse returns JSON or throws
    return JSON.parse(line) as Json;
  } catch {
    // Its SyntaxError would quote the line, and with it the token.
    throw new CountersignError('bad-input', `${at}: The line is not JSON.`);
  }
}
