import { display, type Displayed } from './display.ts';
import { mixedScript } from './unicode-script.ts';

/** UTF-16 units of a name on one line; a path of full length in most file systems is cut in its middle. */
const NAME_CHARS = 240;
/** UTF-16 units looked at for letters in disguise: a longer name is suspect enough by being cut. */
const INSPECTED_CHARS = 4096;
/** What a URL parser would take as something other than part of a host, or drop without a word. */
const NOT_HOST = /[\s\p{C}/@?#\\%]/u;
/** A parser drops tabs and line breaks in silence; a reader must see them. */
const NOT_URL = /[\s\p{C}]/u;
const SPACE = '\\u{20}';

/** A name on one line: a recipient, a session, a device. Flags letters that are not what they look like. */
export function displayName(name: string, options: { readonly maxChars?: number } = {}): Displayed {
  return flagged(display(name, { maxChars: options.maxChars ?? NAME_CHARS }), name);
}

/** A path on one line. Spaces at the edge of a segment are escaped: nobody can see them. */
export function displayPath(path: string, options: { readonly maxChars?: number } = {}): Displayed {
  const segments = path.split('/').map(escapeEdges);
  return flagged(display(segments.join('/'), { maxChars: options.maxChars ?? NAME_CHARS }), path);
}

/** A host with an optional port, as the network sees it: punycode, lower case, numbers in their usual form. */
export function displayHost(host: string): Displayed {
  const [, name = '', port = ''] = /^(.*?)(:\d{1,5})?$/s.exec(host) ?? [];
  const ascii = NOT_HOST.test(name) ? undefined : parseUrl(`http://${name}`)?.hostname;
  return flagged(display(ascii === undefined ? host : ascii + port, { maxChars: NAME_CHARS }), host);
}

/** A URL as a client would send it: host in punycode, the rest percent-encoded. What is no URL is shown as text. */
export function displayUrl(url: string, options: { readonly maxChars?: number } = {}): Displayed {
  const sent = NOT_URL.test(url) ? undefined : parseUrl(url);
  return flagged(display(sent?.href ?? url, { maxChars: options.maxChars ?? 2 * NAME_CHARS }), url);
}

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

function escapeEdges(segment: string): string {
  const start = segment.length - segment.replace(/^ +/, '').length;
  if (start === segment.length) return SPACE.repeat(start);
  let end = segment.length;
  while (segment[end - 1] === ' ') end -= 1;
  return SPACE.repeat(start) + segment.slice(start, end) + SPACE.repeat(segment.length - end);
}

function flagged(shown: Displayed, name: string): Displayed {
  if (shown.flags.includes('mixed-script') || !mixedScript(name.slice(0, INSPECTED_CHARS))) return shown;
  return { ...shown, flags: [...shown.flags, 'mixed-script'] };
}
