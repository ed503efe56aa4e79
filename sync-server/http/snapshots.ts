import type { CloseReason } from '../../src/sync/close-codes.ts';
import { CLOSE_CODES } from '../../src/sync/close-codes.ts';
import { isWelcome, ownerOf, type Core } from '../core.ts';
import { roleIn } from '../roles.ts';
import { parseTarget, type Target } from '../target.ts';
import { readBody, Refusal, requireType, sendBytes, sendNothing, type Exchange } from './exchange.ts';
import { requireMember } from './members.ts';

/** `/r/<room name>/snapshot` */
const PATH = /^\/r(\/.+)\/snapshot$/;

/** An update of nothing: two zeros. */
const EMPTY_BYTES = 2;

/** The room's whole state as one V1 update. */
export async function getSnapshot(core: Core, exchange: Exchange): Promise<void> {
  const caller = requireMember(core, exchange);
  const target = targetOf(exchange);
  if (roleIn(target, caller) === 'none') throw new Refusal(403, 'This room is not for this caller.');
  if (core.heads.isRetired(target.room) && roleIn(target, caller) === 'reader')
    throw new Refusal(410, CLOSE_CODES.gone.sentence);
  const state = await core.rooms.use(target, ownerOf(target, caller), (room) => room.state());
  if (state === 'full') throw refusalOf('full');
  if (state.length <= EMPTY_BYTES) throw new Refusal(404, 'Nobody has written this room.');
  sendBytes(exchange.response, state, 'no-store');
}

/** The state of a room by its writer; answered when it is on the disk. */
export async function putSnapshot(core: Core, exchange: Exchange): Promise<void> {
  const caller = requireMember(core, exchange);
  const target = targetOf(exchange);
  if (roleIn(target, caller) !== 'writer') throw new Refusal(403, 'Only the one who writes this room puts its state.');
  requireType(exchange, 'application/octet-stream');
  const state = await readBody(exchange, core.limits.snapshotBytesMax);
  const refused = await core.rooms.use(target, ownerOf(target, caller), (room) => {
    // The body took its time, and a head may have come meanwhile.
    if (!isWelcome(core, caller)) return 'forbidden';
    return room.put(state);
  });
  if (refused !== undefined) throw refusalOf(refused);
  sendNothing(exchange.response);
}

type HomeTarget = Extract<Target, { readonly room: { readonly kind: string } }>;

function targetOf({ url }: Exchange): HomeTarget {
  const target = parseTarget(PATH.exec(url.pathname)?.[1] ?? '');
  if (!target.ok || target.value.room === 'free') throw new Refusal(404, 'There is no such room.');
  return target.value;
}

const STATUS: Readonly<Partial<Record<CloseReason, number>>> = {
  forbidden: 403,
  gone: 410,
  'too-large': 413,
  malformed: 422,
  full: 507,
};

function refusalOf(reason: CloseReason): Refusal {
  return new Refusal(STATUS[reason] ?? 503, CLOSE_CODES[reason].sentence);
}
