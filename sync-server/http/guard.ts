import type { IncomingMessage } from 'node:http';

/** Headers that decide something. */
export type Facts = Readonly<Partial<Record<(typeof DECIDING)[number], string>>>;

const DECIDING = [
  'host',
  'origin',
  'authorization',
  'content-type',
  'content-length',
  'sec-websocket-protocol',
] as const;

export interface Names {
  /** Exact values of `Host`: anything else is a name that somebody else pointed at this machine. */
  readonly hosts: ReadonlySet<string>;
  /** Exact values of `Origin`. Programs send none. */
  readonly pageOrigins: ReadonlySet<string>;
}

export type Judged =
  | { readonly ok: true; readonly facts: Facts; readonly url: URL }
  | { readonly ok: false; readonly status: number; readonly why: string };

/** Who may ask at all, before what they ask for: by the name they asked under, and the page that asks. */
export function judge(request: Pick<IncomingMessage, 'rawHeaders' | 'url'>, names: Names): Judged {
  const facts = factsOf(request.rawHeaders);
  if (typeof facts === 'string') return no(400, `The header ${facts} must come once.`);
  if (facts.host === undefined || !names.hosts.has(facts.host))
    return no(403, 'This relay does not answer under this name.');
  if (facts.origin !== undefined && !names.pageOrigins.has(facts.origin))
    return no(403, 'This relay does not answer to pages of this origin.');
  const url = urlOf(request.url ?? '');
  return url === undefined ? no(400, 'The request target must be a path.') : { ok: true, facts, url };
}

/** The word after `Bearer`. */
export function bearerOf({ authorization }: Facts): string | undefined {
  return /^bearer +([\w.~+/=-]{1,512})$/i.exec(authorization ?? '')?.[1];
}

/** The headers that decide something; the name of one that came twice, which two readers could read in two ways. */
function factsOf(rawHeaders: readonly string[]): Facts | string {
  const found: Partial<Record<(typeof DECIDING)[number], string>> = {};
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = DECIDING.find((one) => one === rawHeaders[at]?.toLowerCase());
    if (name === undefined) continue;
    if (found[name] !== undefined) return name;
    found[name] = rawHeaders[at + 1] ?? '';
  }
  return found;
}

/** A whole address could name another host than `Host` does. */
function urlOf(target: string): URL | undefined {
  if (!target.startsWith('/') || target.startsWith('//')) return undefined;
  return URL.canParse(target, 'http://relay') ? new URL(target, 'http://relay') : undefined;
}

function no(status: number, why: string): Judged {
  return { ok: false, status, why };
}
