import { openHead, parseHead } from '../access/head.ts';
import { openSigned, PAYLOAD_BYTES_MAX } from '../access/signed.ts';
import { canonicalText } from '../base/canonical-json.ts';
import { record, text } from '../base/shape.ts';
import { utf8 } from '../base/bytes.ts';
import type { Verify } from '../crypto/ports.ts';
import type { SignedText } from '../model/signed-text.ts';
import type { HeadFeed, HeadOddity, Identity, OpenedHead } from './contract.ts';
import { readJson } from './json-answer.ts';
import { Listeners } from './listeners.ts';
import { isNotFound, notUnderstood } from './relay-error.ts';
import type { TicketHttp } from './ticket.ts';

/** Bytes of a head as JSON: its payload stands in it as text, with a `\` before each quotation mark. */
const HEAD_JSON_BYTES_MAX = 2 * PAYLOAD_BYTES_MAX.head + 1024;

const signedText = record({
  payload: text({ bytesMax: PAYLOAD_BYTES_MAX.head }),
  signature: text({ bytesMax: 128 }),
});

export interface HeadFeedOptions {
  readonly tickets: TicketHttp;
  readonly identity: Identity;
  readonly verify: Verify;
  /** The newest head from before, as it was kept: no older one is taken, and no other one of its number. */
  readonly known: SignedText | undefined;
  readonly onFault: (thrown: unknown) => void;
}

/** A head feed that also takes what sockets bring. */
export interface HeadIntake extends HeadFeed {
  /** JSON of a signed head. Throws `closed` for what no honest relay sends. */
  take(json: Uint8Array): OpenedHead | undefined;
}

export function openHeadFeed(options: HeadFeedOptions): HeadIntake {
  const { identity, tickets } = options;
  const path = `/h/${identity.home}`;
  const newer = new Listeners<OpenedHead>(options.onFault);
  const odd = new Listeners<HeadOddity>(options.onFault);
  let newest = options.known === undefined ? undefined : openKept(options, options.known);
  const report = onceEach(odd);

  /** `shownBefore`: the number that was known before the relay was asked; what it pushes may have crossed a newer one. */
  const take = (json: Uint8Array, shownBefore = 0): OpenedHead | undefined => {
    const signed = readJson(signedText, json);
    if (newest?.signed.payload === signed.payload) return newest;
    const opened = openHead(options.verify, identity.homeKey, { home: identity.home, number: 0 }, signed);
    if (!opened.ok) {
      const oddity = unreadable(options, signed, opened.error);
      report(oddity);
      if (oddity.kind === 'forged') throw notUnderstood(oddity.sentence);
      return newest;
    }
    const { number } = opened.value;
    const known = newest?.head.number ?? 0;
    if (number > known) {
      newest = { head: opened.value, signed };
      newer.tell(newest);
    } else if (number === known)
      report({ kind: 'fork', sentence: `The home signed two different heads with the number ${number}.` });
    else if (number < shownBefore)
      report({ kind: 'rollback', sentence: `The relay shows head ${number}; head ${known} has been seen.` });
    else lookAgain();
    return newest;
  };

  const refresh = async (): Promise<OpenedHead | undefined> => {
    const shownBefore = newest?.head.number ?? 0;
    try {
      return take(await tickets.call({ method: 'GET', path, bytesMax: HEAD_JSON_BYTES_MAX }), shownBefore);
    } catch (thrown) {
      if (isNotFound(thrown)) return undefined;
      throw thrown;
    }
  };

  // Answers and pushes on several sockets overtake each other: only a question asked afterwards tells a relay that went
  // back from one that was slow.
  let looking = false;
  const lookAgain = (): void => {
    if (looking) return;
    looking = true;
    // Why it cannot be asked, the links' own states say.
    refresh()
      .catch(() => undefined)
      .finally(() => {
        looking = false;
      });
  };

  return {
    take: (json) => take(json),
    newest: () => newest,
    subscribe: (listener) => newer.add(listener),
    subscribeOddities: (listener) => odd.add(listener),
    refresh,
    async put(signed) {
      const body = canonicalText({ payload: signed.payload, signature: signed.signature });
      await tickets.call({ method: 'PUT', path, headers: JSON_TYPE, body, bytesMax: 1024 });
      take(utf8(body));
    },
  };
}

const JSON_TYPE = { 'content-type': 'application/json' };

/** The same thing twice in a row is said once. */
function onceEach(odd: Listeners<HeadOddity>): (oddity: HeadOddity) => void {
  let before: string | undefined;
  return (oddity) => {
    const key = `${oddity.kind} ${oddity.sentence}`;
    if (key !== before) odd.tell(oddity);
    before = key;
  };
}

function openKept({ identity, verify }: HeadFeedOptions, signed: SignedText): OpenedHead | undefined {
  const opened = openHead(verify, identity.homeKey, { home: identity.home, number: 0 }, signed);
  return opened.ok ? { head: opened.value, signed } : undefined;
}

/** What a head is that does not open: signed by the home and of another version, or not signed by it. */
function unreadable({ identity, verify }: HeadFeedOptions, signed: SignedText, why: string): HeadOddity {
  const value = openSigned(verify, identity.homeKey, { type: 'head', home: identity.home, workspace: null }, signed);
  if (value === undefined) return { kind: 'forged', sentence: 'The relay shows a head that this home did not sign.' };
  const parsed = parseHead(value);
  return {
    kind: 'too-new',
    sentence: `The home wrote a head that this side cannot read; it may need an update. ${parsed.ok ? why : parsed.error}`,
  };
}
