import { PROOF_LIMITS } from '../../src/access/proof.ts';
import { parseCredentialText } from '../../src/access/credentials.ts';
import { textOf } from '../../src/base/bytes.ts';
import { record, read, text } from '../../src/base/shape.ts';
import type { Json } from '../../src/base/canonical-json.ts';
import { CLOSE_CODES } from '../../src/sync/close-codes.ts';
import { roomName, parseRoomName } from '../../src/sync/room.ts';
import { homeIdOf } from '../../src/access/home-id.ts';
import { checkCredentials, type Member } from '../caller.ts';
import { isWelcome, type Core } from '../core.ts';
import { readBody, Refusal, requireType, sendJson, type Exchange } from './exchange.ts';
import { bearerOf } from './guard.ts';

/** Bytes of a body with credentials. */
const CREDENTIALS_BYTES_MAX = 8 * 1024;

const ticketRequest = record({ credentials: text({ bytesMax: CREDENTIALS_BYTES_MAX }) });

/** `GET /challenge?room=…`: a word to be signed, for whoever asks; it is worth nothing without a key. */
export function giveChallenge({ checks }: Core, { response, url }: Exchange): void {
  const room = url.searchParams.get('room') ?? '';
  if (room.length > PROOF_LIMITS.roomBytesMax || !parseRoomName(room).ok)
    throw new Refusal(400, 'A challenge is for a room of a home: /challenge?room=q/HOME/WORKSPACE/ROOM.');
  sendJson(response, { challenge: checks.challenges.give(room) });
}

/** `POST /ticket`: a proof for the home's head, in exchange for a word that is good for ten minutes. */
export async function giveTicket(core: Core, exchange: Exchange): Promise<void> {
  if (!core.addresses.mayProve(exchange.request.socket.remoteAddress ?? ''))
    throw new Refusal(429, CLOSE_CODES['too-fast'].sentence);
  requireType(exchange, 'application/json');
  const asked = readJson(await readBody(exchange, CREDENTIALS_BYTES_MAX));
  const request = asked === undefined ? undefined : read(ticketRequest, asked);
  if (request?.ok !== true) throw new Refusal(400, 'The body must be {"credentials": "…"}.');
  const credentials = parseCredentialText(request.value.credentials);
  if (!credentials.ok) throw new Refusal(401, credentials.error);
  const home = homeIdOf(core.crypto.sha256, credentials.value.homeKey);
  const checked = checkCredentials(core.checks, credentials.value, roomName({ kind: 'head', home }));
  if (!checked.ok) throw new Refusal(401, checked.error);
  const token = bearerOf(exchange.facts);
  const admittedBy = token === undefined ? undefined : core.door.token(token);
  const caller = checked.value.type === 'home' ? { ...checked.value, admittedBy } : checked.value;
  if (!isWelcome(core, caller)) throw new Refusal(403, 'This relay does not serve this home or this device.');
  sendJson(exchange.response, core.tickets.give(caller));
}

/**
 * Who shows a ticket.
 *
 * Throws: `Refusal` 401 without a good one, 403 when the home does not stand by its holder any more.
 */
export function requireMember(core: Core, { facts }: Exchange): Member {
  const ticket = bearerOf(facts);
  const member = ticket === undefined ? undefined : core.tickets.callerOf(ticket);
  if (member === undefined)
    throw new Refusal(401, 'The request needs a ticket that is good: POST /ticket.', { 'www-authenticate': 'Bearer' });
  if (!isWelcome(core, member)) throw new Refusal(403, 'The home does not name this device any more.');
  return member;
}

export function readJson(bytes: Uint8Array): Json | undefined {
  const body = textOf(bytes);
  try {
    // reason: JSON.parse returns JSON or throws
    return body === undefined ? undefined : (JSON.parse(body) as Json);
  } catch {
    // JSON.parse throws a SyntaxError, and nothing else.
    return undefined;
  }
}
