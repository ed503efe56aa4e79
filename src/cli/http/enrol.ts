import type { IncomingMessage, ServerResponse } from 'node:http';
import * as z from 'zod';
import { concat, textOf } from '../../base/bytes.ts';
import { CountersignError, type ErrorCode } from '../../base/errors.ts';
import type { SignedText } from '../../model/signed-text.ts';
import { refuse } from './request.ts';

export const ENROL_LIMITS = {
  /** Bytes of a request: two keys, a secret and a name are about 300. */
  bodyBytesMax: 4 * 1024,
  /** Characters of a device's name. */
  nicknameCharsMax: 64,
} as const;

/** What a page asks for that was opened with a link. Keys are 64 lower-case hexadecimal digits. */
export interface EnrolRequest {
  readonly secret: string;
  /** Ed25519. */
  readonly publicKey: string;
  /** X25519. */
  readonly boxKey: string;
  readonly nickname: string;
}

/** All a device has to be told to be one. */
export interface Enrolled {
  /** The home's Ed25519 key, 64 lower-case hexadecimal digits. */
  readonly homeKey: string;
  readonly grant: SignedText;
  readonly head: SignedText;
  /** The WebSocket origin of the relay that this home is connected to. */
  readonly relayUrl: string;
}

const publicKey = z.string().regex(/^[0-9a-f]{64}$/, 'expected 64 lower-case hexadecimal digits');
const enrolRequest: z.ZodType<EnrolRequest> = z.strictObject({
  secret: z.string().max(64),
  publicKey,
  boxKey: publicKey,
  nickname: z.string().trim().min(1).max(ENROL_LIMITS.nicknameCharsMax),
});

const STATUS: Readonly<Partial<Record<ErrorCode, number>>> = {
  'bad-input': 400,
  denied: 403,
  'not-found': 410,
  full: 507,
  closed: 503,
};

/** Answers `POST /panel/enrol`, whose sender was judged already. */
export async function answerEnrol(
  request: IncomingMessage,
  response: ServerResponse,
  enrol: (asked: EnrolRequest) => Promise<Enrolled>,
): Promise<void> {
  try {
    answerJson(response, await enrol(await readRequest(request)));
  } catch (error) {
    if (!CountersignError.is(error)) throw error;
    refuse(response, { status: STATUS[error.code] ?? 500, why: error.message });
  }
}

export function answerJson(response: ServerResponse, value: object): void {
  const body = JSON.stringify(value);
  response.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'cross-origin-resource-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
  });
  response.end(body);
}

async function readRequest(request: IncomingMessage): Promise<EnrolRequest> {
  const parsed = enrolRequest.safeParse(jsonOf(textOf(await readBody(request))));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const at = issue?.path.join('.') ?? '';
  throw new CountersignError(
    'bad-input',
    `The request is malformed: ${at === '' ? 'the body' : at}: ${issue?.message ?? ''}.`,
  );
}

async function readBody(request: IncomingMessage): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const part of request) {
      // reason: a request without an encoding gives its body as buffers
      const chunk = part as Buffer;
      bytes += chunk.length;
      if (bytes > ENROL_LIMITS.bodyBytesMax) break;
      parts.push(chunk);
    }
  } catch (cause) {
    // A connection that was cut; whoever asked is gone.
    throw new CountersignError('closed', 'The request ended before it was whole.', { cause });
  }
  if (bytes <= ENROL_LIMITS.bodyBytesMax) return concat(...parts);
  throw new CountersignError('bad-input', `The request may have ${ENROL_LIMITS.bodyBytesMax} bytes at most.`);
}

function jsonOf(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    // JSON.parse throws a SyntaxError, and nothing else: the schema says what was expected.
    return undefined;
  }
}
