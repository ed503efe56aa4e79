import { CountersignError } from '../../base/errors.ts';
import type { StateFolder } from '../state/folder.ts';
import { forgetSetting, keepSetting, readSetting } from '../state/setting-file.ts';

/** The word for `--relay` that goes back to the relay inside the home. */
const EMBEDDED = 'embedded';

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** What `--relay` names: the WebSocket origin of a relay elsewhere, or the one inside the home. */
export type RelayChoice =
  | { readonly type: 'embedded' }
  /** `token`: what its owner gave this home, where it does not serve everybody. */
  | { readonly type: 'elsewhere'; readonly url: string; readonly token: string | null };

/**
 * Reads an address as a person types it: with `ws`, `wss`, `http` or `https`.
 *
 * Throws: `bad-input` for one that is no relay's, or that would send heads and tickets over a network in the clear (T13).
 */
export function parseRelayChoice(
  text: string,
  { insecure, token }: { readonly insecure: boolean; readonly token: string | undefined },
): RelayChoice {
  if (text === EMBEDDED) return { type: 'embedded' };
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const scheme = { 'ws:': 'ws', 'http:': 'ws', 'wss:': 'wss', 'https:': 'wss' }[url?.protocol ?? ''];
  const bare =
    url !== undefined && url.pathname === '/' && `${url.search}${url.hash}${url.username}${url.password}` === '';
  if (url === undefined || scheme === undefined || !bare)
    throw new CountersignError('bad-input', `--relay takes an address such as wss://relay.example, or ${EMBEDDED}.`);
  if (scheme === 'ws' && !insecure && !LOOPBACK.has(url.hostname)) {
    throw new CountersignError(
      'bad-input',
      'A relay on another machine needs TLS: wss://… . --insecure-relay goes without, where nobody else is on the network.',
    );
  }
  if (token !== undefined && !TOKEN.test(token))
    throw new CountersignError('bad-input', 'A relay’s token is 16 to 256 letters, digits and signs without a space.');
  return { type: 'elsewhere', url: `${scheme}://${url.host}`, token: token ?? null };
}

const TOKEN = /^[\x21-\x7e]{16,256}$/;

/** The relay this home was told to use before; the embedded one when none was named. */
export async function rememberedRelay(folder: StateFolder): Promise<RelayChoice> {
  const url = await readSetting(folder.relayUrl);
  if (url === undefined) return { type: 'embedded' };
  return parseRelayChoice(url, { insecure: true, token: await readSetting(folder.relayToken) });
}

export async function rememberRelay(folder: StateFolder, choice: RelayChoice): Promise<void> {
  const { token, url } = choice.type === 'elsewhere' ? choice : { token: null, url: undefined };
  // The token goes first and comes last: it is never kept beside the address of another relay.
  await forgetSetting(folder.relayToken);
  if (url === undefined) await forgetSetting(folder.relayUrl);
  else await keepSetting(folder.relayUrl, url);
  if (token !== null) await keepSetting(folder.relayToken, token);
}
