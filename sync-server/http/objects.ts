import { parseHomeId, type HomeId } from '../../src/model/ids.ts';
import type { Core } from '../core.ts';
import { readBody, Refusal, requireType, sendBytes, sendNothing, type Exchange } from './exchange.ts';
import { requireMember } from './members.ts';

/** `/o/<home>/b/…` blobs, `/t/…` full tiles, `/m/…` manifests. Names without anything that a path could mean. */
const PATH = /^\/o\/([^/]+)\/([btm]\/[\w-]{1,64}\/[\w.-]{1,96})$/;

/** What never changes may be kept by the device that fetched it, and by nobody between. */
const FOR_EVER = 'private, max-age=31536000, immutable';

export async function getObject(core: Core, exchange: Exchange): Promise<void> {
  const { home, path } = placeOf(exchange);
  if (requireMember(core, exchange).home !== home) throw new Refusal(403, 'This object is of another home.');
  const bytes = await core.store.object(path);
  if (bytes === undefined) throw new Refusal(404, 'There is no such object.');
  sendBytes(exchange.response, bytes, FOR_EVER);
}

export async function putObject(core: Core, exchange: Exchange): Promise<void> {
  const { home, path } = requireHome(core, exchange);
  requireType(exchange, 'application/octet-stream');
  const bytes = await readBody(exchange, core.limits.objectBytesMax);
  if (!core.quota.allows(home, bytes.length)) throw new Refusal(507, 'The relay has no room left for this home.');
  // Counted before it is stored, so that many at once do not all find room.
  core.quota.add(home, bytes.length);
  const put = await core.store.putObject(path, home, bytes).catch((thrown: unknown) => {
    core.quota.add(home, -bytes.length);
    throw thrown;
  });
  if (put !== 'stored') core.quota.add(home, -bytes.length);
  if (put === 'differs') throw new Refusal(409, 'Another object stands there, and objects do not change.');
  sendNothing(exchange.response);
}

export async function deleteObject(core: Core, exchange: Exchange): Promise<void> {
  const { home, path } = requireHome(core, exchange);
  core.quota.add(home, -(await core.store.dropObject(path)));
  sendNothing(exchange.response);
}

function requireHome(core: Core, exchange: Exchange): { readonly home: HomeId; readonly path: string } {
  const place = placeOf(exchange);
  const caller = requireMember(core, exchange);
  if (caller.home !== place.home || caller.type !== 'home')
    throw new Refusal(403, 'Only the home itself puts and removes its objects.');
  return place;
}

function placeOf({ url }: Exchange): { readonly home: HomeId; readonly path: string } {
  const [, homeText, rest] = PATH.exec(url.pathname) ?? [];
  const home = parseHomeId(homeText);
  if (!home.ok || rest === undefined || rest.includes('..')) throw new Refusal(404, 'There is no such object.');
  return { home: home.value, path: `${home.value}/${rest}` };
}
