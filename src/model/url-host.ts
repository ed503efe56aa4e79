/** A parser drops tabs and line breaks, and takes `\` for `/`: what holds one is not compared. */
const UNSURE = /[\s\p{C}\\]/u;

/** Why a text is no host as a URL writes it; `null` when it is one. */
export function hostProblem(host: string): string | null {
  return hostOf(`https://${host}/`) === host
    ? null
    : 'must be a host as a URL has it: lower case, punycode, maybe a port';
}

/**
 * Host and port of a web address that is written the way it is sent; `undefined` for every other spelling, and for one
 * that carries a name or a password.
 */
export function hostOf(url: string): string | undefined {
  if (UNSURE.test(url) || !URL.canParse(url)) return undefined;
  const parsed = new URL(url);
  if (parsed.protocol !== 'https:' && parsed.protocol !== 'http:') return undefined;
  if (parsed.username !== '' || parsed.password !== '') return undefined;
  return parsed.href === url || parsed.href === `${url}/` ? parsed.host : undefined;
}
