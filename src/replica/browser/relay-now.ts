import type { Json } from '../../base/canonical-json.ts';
import { read, record, text } from '../../base/shape.ts';
import type { Identity, IdentityStore } from '../ports.ts';

/** Milliseconds the home has to answer: it is on this machine. One that sleeps is not waited for. */
const ANSWER_MS_MAX = 1_500;
/** Characters of its answer. */
const ANSWER_CHARS_MAX = 4 * 1024;

const about = record({
  home: text({ bytesMax: 64 }),
  relayUrl: text({ bytesMin: 1, bytesMax: 512 }),
  version: text({ bytesMax: 64 }),
});

/**
 * Asks the home that served this page which relay it uses now, and keeps the answer: it may have moved to another one
 * since this browser was enrolled. Whoever serves the page serves its code, so it is believed as much. Never throws for
 * a home that does not answer: what was kept is used.
 */
export async function keepRelayNow(
  identities: IdentityStore,
  known: Identity,
  ask: (path: string, signal: AbortSignal) => Promise<{ readonly ok: boolean; text(): Promise<string> }>,
): Promise<void> {
  const relayUrl = await relayOf(known, ask);
  if (relayUrl !== undefined && relayUrl !== known.relayUrl) await identities.save({ ...known, relayUrl });
}

async function relayOf(known: Identity, ask: Parameters<typeof keepRelayNow>[2]): Promise<string | undefined> {
  try {
    const answer = await ask('/panel/home', AbortSignal.timeout(ANSWER_MS_MAX));
    const words = answer.ok ? await answer.text() : '';
    if (words === '' || words.length > ANSWER_CHARS_MAX) return undefined;
    // reason: JSON.parse answers JSON, or throws
    const said = read(about, JSON.parse(words) as Json);
    return said.ok && said.value.home === known.home ? said.value.relayUrl : undefined;
  } catch {
    // No network, no home, a page that nobody like it serves, or words that are none: nothing is known.
    return undefined;
  }
}
