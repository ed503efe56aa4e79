import { createHash, timingSafeEqual } from 'node:crypto';
import { singleHeaders, urlOf, type HttpFacts, type Refusal } from '../http/request.ts';

export interface HttpPolicy {
  /** Exact values of `Host`. Anything else is a name that somebody else pointed at this machine. */
  readonly hosts: ReadonlySet<string>;
  /** Exact values of `Origin`. Programs send none; a page that is not in the list has no business here. */
  readonly origins: ReadonlySet<string>;
  readonly token: string;
  readonly bodyBytesMax: number;
}

export type Judged =
  | { readonly ok: true; readonly url: URL; readonly sessionId: string | undefined }
  | ({ readonly ok: false } & Refusal);

const METHODS = new Set(['GET', 'POST', 'DELETE']);
const SINGLE = ['host', 'origin', 'authorization', 'content-type', 'content-length', 'mcp-session-id'] as const;
type SingleName = (typeof SINGLE)[number];
type Headers = Readonly<Partial<Record<SingleName, string>>>;

/** Lets a request through to the MCP endpoint, or says why not. Who may ask comes before what they ask for. */
export function judgeRequest(facts: HttpFacts, policy: HttpPolicy): Judged {
  const headers = singleHeaders(facts.rawHeaders, SINGLE);
  if (typeof headers === 'string') return no(400, `The header ${headers} must come once.`);
  if (headers.host === undefined || !policy.hosts.has(headers.host)) {
    return no(403, 'This address is only served under its loopback names.');
  }
  if (headers.origin !== undefined && !policy.origins.has(headers.origin)) {
    return no(403, 'This address is not served to web pages of this origin.');
  }
  const url = urlOf(facts.target);
  if (url === undefined) return no(400, 'The request target must be a path.');
  if (url.pathname !== '/mcp') return no(404, 'There is nothing here; the MCP endpoint is /mcp.');
  if (!METHODS.has(facts.method))
    return no(405, 'The MCP endpoint takes GET, POST and DELETE.', { allow: 'GET, POST, DELETE' });
  if (!bearerMatches(headers.authorization, policy.token)) {
    return no(401, 'The request needs the header "Authorization: Bearer" with the token of this home.', {
      'www-authenticate': 'Bearer',
    });
  }
  return judgeBody(facts.method, headers, policy) ?? { ok: true, url, sessionId: headers['mcp-session-id'] };
}

function judgeBody(method: string, headers: Headers, policy: HttpPolicy): Judged | undefined {
  if (method !== 'POST') return undefined;
  // A form or a text body is what a page can send anywhere without being asked first.
  const mediaType = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (mediaType !== 'application/json') return no(415, 'The body must be application/json.');
  if (Number(headers['content-length'] ?? 0) > policy.bodyBytesMax) {
    return no(413, `A body may have ${policy.bodyBytesMax} bytes at most.`);
  }
  return undefined;
}

/** Compares digests in constant time, so that neither the token's bytes nor its length can be found by asking. */
function bearerMatches(authorization: string | undefined, token: string): boolean {
  const given = /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
  return given !== undefined && timingSafeEqual(sha256(given), sha256(token));
}

function sha256(text: string): Uint8Array {
  return createHash('sha256').update(text).digest();
}

function no(status: number, why: string, headers?: Record<string, string>): Judged {
  return { ok: false, status, why, ...(headers === undefined ? {} : { headers }) };
}
