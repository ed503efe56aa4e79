import { fromHex, toHex } from '../base/bytes.ts';
import { CountersignError, type ErrorCode } from '../base/errors.ts';
import type { Json } from '../base/canonical-json.ts';
import { read, record, text, type Reader } from '../base/shape.ts';
import { publicKey } from '../access/fields.ts';
import { openGrant } from '../access/grant.ts';
import { openHead } from '../access/head.ts';
import { deviceIdOf, homeIdOf } from '../access/home-id.ts';
import type { Crypto } from '../crypto/ports.ts';
import type { SignedText } from '../model/signed-text.ts';
import { parseSignedText, signedTextJson } from './head/signed-json.ts';
import type { Identity, KeyMaker, ReplicaStorage } from './ports.ts';

/** The part of `fetch` that enrolling uses. Rejects when there is no answer. */
export type EnrolFetch = (
  url: string,
  request: { readonly method: 'POST'; readonly headers: Readonly<Record<string, string>>; readonly body: string },
) => Promise<{ readonly status: number; text(): Promise<string> }>;

export interface EnrolOptions {
  /** The home's own origin: `http://localhost:PORT`. */
  readonly origin: string;
  /** From the link's fragment: good once. */
  readonly secret: string;
  readonly nickname: string;
  readonly storage: ReplicaStorage;
  readonly keys: KeyMaker;
  readonly crypto: Pick<Crypto, 'sha256' | 'verify'>;
  readonly fetch: EnrolFetch;
  /** Runs once the home has said yes, before anything is stored. */
  readonly accepted?: () => Promise<void>;
}

interface Answer {
  readonly homeKey: string;
  readonly grant: SignedText;
  readonly head: SignedText;
  readonly relayUrl: string;
}

/** Characters of an answer: a head of a large home is 2 MiB. */
const ANSWER_CHARS_MAX = 4 * 1024 * 1024;

const signed: Reader<SignedText> = (value) => {
  const parsed = parseSignedText(value);
  if (!parsed.ok) throw new CountersignError('denied', 'The home’s answer is malformed.');
  return parsed.value;
};
const answerShape: Reader<Answer> = record({
  homeKey: publicKey,
  grant: signed,
  head: signed,
  relayUrl: text({ bytesMin: 1, bytesMax: 512 }),
});

const CODE: Readonly<Record<number, ErrorCode>> = { 400: 'bad-input', 403: 'denied', 410: 'not-found', 507: 'full' };

/**
 * Makes this browser a device of the home whose link was opened: keys, the home's answer, both stored together. A page
 * that ends in between has used up its link and needs another; nobody can use what it left.
 *
 * Throws: `closed` when the home does not answer; `not-found` for a link that was used; `denied`, `full`, `storage`.
 */
export async function enrol(options: EnrolOptions): Promise<Identity> {
  const { crypto, keys, nickname, origin, secret, storage } = options;
  const made = await keys.make();
  const asked = {
    secret,
    publicKey: toHex(made.signer.publicKey),
    boxKey: toHex(made.agreement.publicKey),
    nickname,
  };
  const answer = await ask(options, `${origin}/panel/enrol`, JSON.stringify(asked));
  const homeKey = fromHex(answer.homeKey) ?? new Uint8Array(0);
  const home = homeIdOf(crypto.sha256, homeKey);
  const device = deviceIdOf(crypto.sha256, made.signer.publicKey);
  const grant = openGrant(crypto.verify, homeKey, home, answer.grant);
  if (!grant.ok || grant.value.device !== device)
    throw new CountersignError('denied', 'The home answered for another device.');
  const head = openHead(crypto.verify, homeKey, { home, number: 0 }, answer.head);
  if (!head.ok) throw new CountersignError('denied', head.error);
  await options.accepted?.();
  const { relayUrl } = answer;
  const identity: Identity = {
    home,
    homeKey: answer.homeKey,
    device,
    nickname,
    relayUrl,
    grant: answer.grant,
    keys: made.kept,
  };
  await storage.facts.raise('head', { number: head.value.number, value: signedTextJson(answer.head) });
  await storage.identity.save(identity);
  return identity;
}

async function ask({ fetch }: EnrolOptions, url: string, body: string): Promise<Answer> {
  const headers = { 'content-type': 'application/json', 'x-countersign': '1' };
  let answer;
  let words;
  try {
    answer = await fetch(url, { method: 'POST', headers, body });
    words = await answer.text();
  } catch (cause) {
    throw new CountersignError('closed', 'The runtime does not answer. Start it, and open the link again.', { cause });
  }
  if (answer.status !== 200) throw new CountersignError(CODE[answer.status] ?? 'closed', words.slice(0, 500));
  const value = words.length > ANSWER_CHARS_MAX ? undefined : jsonOf(words);
  const checked = value === undefined ? undefined : read(answerShape, value);
  if (checked?.ok !== true) throw new CountersignError('denied', 'The home’s answer is malformed.');
  return checked.value;
}

function jsonOf(words: string): Json | undefined {
  try {
    // reason: JSON.parse answers JSON, or throws
    return JSON.parse(words) as Json;
  } catch {
    // A SyntaxError, and nothing else.
    return undefined;
  }
}
