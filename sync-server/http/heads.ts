import { PAYLOAD_BYTES_MAX } from '../../src/access/signed.ts';
import { read, record, text } from '../../src/base/shape.ts';
import type { HomeId } from '../../src/model/ids.ts';
import { isWelcome, type Core } from '../core.ts';
import { readBody, Refusal, requireType, send, sendNothing, type Exchange } from './exchange.ts';
import { readJson, requireMember } from './members.ts';

/** The payload stands in a JSON text, where every quotation mark of it takes two bytes. */
const HEAD_BODY_BYTES_MAX = 2 * PAYLOAD_BYTES_MAX.head + 1024;

const signedText = record({
  payload: text({ bytesMax: PAYLOAD_BYTES_MAX.head }),
  signature: text({ bytesMax: 128 }),
});

export function getHead(core: Core, exchange: Exchange, home: HomeId): void {
  if (requireMember(core, exchange).home !== home) throw new Refusal(403, 'This is the head of another home.');
  const known = core.heads.of(home);
  if (known === undefined) throw new Refusal(404, 'This home has put no head.');
  send(exchange.response, 200, 'application/json', known.json);
}

/** Puts a head, and answers when it is on the disk and enforced. */
export async function putHead(
  core: Core,
  exchange: Exchange,
  home: HomeId,
  enforce: (home: HomeId) => void,
): Promise<void> {
  const caller = requireMember(core, exchange);
  if (caller.home !== home || caller.type !== 'home') throw new Refusal(403, 'Only the home itself puts its head.');
  if (core.heads.of(home) === undefined && core.heads.size >= core.limits.homesMax)
    throw new Refusal(507, 'The relay has no room for another home.');
  requireType(exchange, 'application/json');
  const body = readJson(await readBody(exchange, HEAD_BODY_BYTES_MAX));
  const signed = body === undefined ? undefined : read(signedText, body);
  if (signed?.ok !== true) throw new Refusal(400, 'The body must be {"payload": "…", "signature": "…"}.');
  const put = await core.heads.put(caller, signed.value);
  if (put === 'forged') throw new Refusal(400, 'This is no head that this home signed.');
  if (put === 'stale') throw new Refusal(409, 'The relay has a head with this number or a higher one.');
  if (put === 'put') {
    core.tickets.sweep((member) => member.home === home && !isWelcome(core, member));
    enforce(home);
    await core.rooms.dropRetired(home);
  }
  sendNothing(exchange.response);
}
