import { credentialText, type Credentials } from '../access/credentials.ts';
import { record, text, whole } from '../base/shape.ts';
import type { Clock, EpochMs } from '../base/clock.ts';
import { HTTP_LIMITS, type Http, type HttpCall } from './http.ts';
import { readJson } from './json-answer.ts';
import { relayReasonOf } from './relay-error.ts';

/** Milliseconds a ticket is used, counted here: a relay's clock may be any. It forgets them after ten minutes. */
const TICKET_MS = 9 * 60_000;

const answer = record({ ticket: text({ bytesMin: 1, bytesMax: 256 }), expiresMs: whole(0) });

/** Requests with a ticket in their header: the caller was proven once, and not again for every blob. */
export interface TicketHttp {
  call(call: HttpCall): Promise<Uint8Array>;
}

export function openTickets(options: {
  readonly http: Http;
  readonly clock: Clock;
  /** For the room of the head. */
  readonly credentials: () => Promise<Credentials>;
  readonly token: string | undefined;
}): TicketHttp {
  let held: { readonly ticket: Promise<string>; readonly untilMs: EpochMs } | undefined;
  const renew = (): Promise<string> => {
    const ticket = fetchTicket(options);
    const mine = { ticket, untilMs: options.clock.nowMs() + TICKET_MS };
    held = mine;
    // The caller sees the failure; here it only means that the next caller asks again.
    ticket.catch(() => {
      if (held === mine) held = undefined;
    });
    return ticket;
  };
  const current = (): Promise<string> =>
    held !== undefined && held.untilMs > options.clock.nowMs() ? held.ticket : renew();
  const send = async (call: HttpCall, ticket: string): Promise<Uint8Array> =>
    options.http.call({ ...call, headers: { ...call.headers, authorization: `Bearer ${ticket}` } });
  return {
    async call(call) {
      const asked = current();
      const ticket = await asked;
      try {
        return await send(call, ticket);
      } catch (thrown) {
        if (relayReasonOf(thrown) !== 'unauthenticated') throw thrown;
        // A relay that restarted has forgotten it. Who asked at the same time has renewed it already.
        return await send(call, await (held?.ticket === asked ? renew() : current()));
      }
    },
  };
}

async function fetchTicket({
  credentials,
  http,
  token,
}: {
  readonly http: Http;
  readonly credentials: () => Promise<Credentials>;
  readonly token: string | undefined;
}): Promise<string> {
  const bytes = await http.call({
    method: 'POST',
    path: '/ticket',
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ credentials: credentialText(await credentials()) }),
    bytesMax: HTTP_LIMITS.smallBytesMax,
  });
  return readJson(answer, bytes).ticket;
}
