import type { Json } from '../../base/canonical-json.ts';
import { flag, read, record, text } from '../../base/shape.ts';
import type { Identity, IdentityStore } from '../ports.ts';

/** Milliseconds the home has to answer: it is on this machine. One that sleeps is not waited for. */
const ANSWER_MS_MAX = 1_500;
/** Characters of its answer. */
const ANSWER_CHARS_MAX = 4 * 1024;

const about = record(
  { home: text({ bytesMax: 64 }), relayUrl: text({ bytesMin: 1, bytesMax: 512 }), version: text({ bytesMax: 64 }) },
  { member: flag },
);

/** What a page's home says of itself, and of the device that asks. */
export interface HomeNow {
  readonly home: string;
  readonly relayUrl: string;
  /** May this device decide there? Not said by a home of an older version. */
  readonly member?: boolean;
}

export type AskHome = (path: string, signal: AbortSignal) => Promise<{ readonly ok: boolean; text(): Promise<string> }>;

/**
 * Asks the home that served this page. Whoever serves the page serves its code, so it is believed as much. `undefined`
 * from a home that does not answer: nothing is known.
 */
export async function homeNow({ device }: Identity, ask: AskHome): Promise<HomeNow | undefined> {
  try {
    const answer = await ask(`/panel/home?device=${device}`, AbortSignal.timeout(ANSWER_MS_MAX));
    const words = answer.ok ? await answer.text() : '';
    if (words === '' || words.length > ANSWER_CHARS_MAX) return undefined;
    // reason: JSON.parse answers JSON, or throws
    const said = read(about, JSON.parse(words) as Json);
    return said.ok ? said.value : undefined;
  } catch {
    // No network, no home, a page that nobody like it serves, or words that are none.
    return undefined;
  }
}

/** Keeps which relay the home uses now: it may have moved to another one since this browser was enrolled. */
export async function keepRelayNow(
  identities: IdentityStore,
  known: Identity,
  now: HomeNow | undefined,
): Promise<void> {
  if (now === undefined || now.home !== known.home || now.relayUrl === known.relayUrl) return;
  await identities.save({ ...known, relayUrl: now.relayUrl });
}

/** What this browser is to the home that serves its page. */
export type Standing = 'none' | 'device' | 'removed' | 'other-home';

/** As far as it can be known: one whose home does not answer goes on as what it was. */
export function standingOf(known: Identity | undefined, now: HomeNow | undefined): Standing {
  if (known === undefined) return 'none';
  if (now === undefined) return 'device';
  if (now.home !== known.home) return 'other-home';
  return now.member === false ? 'removed' : 'device';
}
