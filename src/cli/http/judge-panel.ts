import { singleHeaders, urlOf, type HttpFacts, type Refusal } from './request.ts';

export type PanelRequest =
  | { readonly type: 'file'; readonly method: 'GET' | 'HEAD'; readonly path: string }
  | { readonly type: 'enrol' }
  | { readonly type: 'about'; readonly device: string | null }
  /** The panel has one address: keys and unsent decisions live in the page's origin. */
  | { readonly type: 'redirect'; readonly location: string }
  | ({ readonly type: 'refused' } & Refusal);

const ENROL_PATH = '/panel/enrol';
const ABOUT_PATH = '/panel/home';
const HEADERS = ['host', 'origin', 'content-type', 'content-length', 'x-countersign'] as const;

/** What a request to the panel's side of the port asks for, or why it gets nothing. `origin` is the panel's own. */
export function judgePanelRequest(
  facts: HttpFacts,
  policy: { readonly hosts: ReadonlySet<string>; readonly origin: string; readonly bodyBytesMax: number },
): PanelRequest {
  const headers = singleHeaders(facts.rawHeaders, HEADERS);
  if (typeof headers === 'string') return refused(400, `The header ${headers} must come once.`);
  if (headers.host === undefined || !policy.hosts.has(headers.host))
    return refused(403, 'This address is only served under its loopback names.');
  if (headers.origin !== undefined && headers.origin !== policy.origin)
    return refused(403, 'This address is not served to web pages of this origin.');
  const url = urlOf(facts.target);
  if (url === undefined) return refused(400, 'The request target must be a path.');
  if (url.pathname === ENROL_PATH) return judgeEnrol(facts.method, headers, policy.bodyBytesMax);
  if (facts.method !== 'GET' && facts.method !== 'HEAD')
    return refused(405, 'The panel takes GET.', { allow: 'GET, HEAD' });
  if (`http://${headers.host}` !== policy.origin)
    return { type: 'redirect', location: `${policy.origin}${url.pathname}${url.search}` };
  if (url.pathname === ABOUT_PATH) return { type: 'about', device: url.searchParams.get('device') };
  return { type: 'file', method: facts.method, path: url.pathname };
}

type Headers = Readonly<Partial<Record<(typeof HEADERS)[number], string>>>;

/** What changes something is only taken in a form that no foreign page can send without being asked first. */
function judgeEnrol(method: string, headers: Headers, bodyBytesMax: number): PanelRequest {
  if (method !== 'POST') return refused(405, 'Enrolling takes POST.', { allow: 'POST' });
  // The origin was compared above; here it must not be missing either.
  if (headers.origin === undefined) return refused(403, 'Only the panel itself can use a link.');
  if (headers['x-countersign'] !== '1') return refused(403, 'The request needs the header "x-countersign: 1".');
  const mediaType = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (mediaType !== 'application/json') return refused(415, 'The body must be application/json.');
  if (Number(headers['content-length'] ?? 0) > bodyBytesMax)
    return refused(413, `A body may have ${bodyBytesMax} bytes at most.`);
  return { type: 'enrol' };
}

function refused(status: number, why: string, headers?: Readonly<Record<string, string>>): PanelRequest {
  return { type: 'refused', status, why, ...(headers === undefined ? {} : { headers }) };
}
