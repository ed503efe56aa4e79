import type { Credentials } from '../access/credentials.ts';
import { PROOF_LIMITS, proofToSign } from '../access/proof.ts';
import { toHex } from '../base/bytes.ts';
import { record, text } from '../base/shape.ts';
import type { Identity } from './contract.ts';
import { HTTP_LIMITS, type Http } from './http.ts';
import { readJson } from './json-answer.ts';

const answer = record({ challenge: text({ bytesMin: 1, bytesMax: PROOF_LIMITS.challengeBytesMax }) });

/** Credentials for one room, good once and for 30 s: asks the relay for a challenge, and signs it. */
export async function prove(options: {
  readonly http: Http;
  readonly identity: Identity;
  readonly origin: string;
  readonly room: string;
}): Promise<Credentials> {
  const { http, identity, origin, room } = options;
  const bytes = await http.call({
    method: 'GET',
    path: `/challenge?room=${encodeURIComponent(room)}`,
    bytesMax: HTTP_LIMITS.smallBytesMax,
  });
  const { challenge } = readJson(answer, bytes);
  const { message, payload } = proofToSign({ v: 1, home: identity.home, origin, room, challenge });
  const signature = toHex(await identity.sign(message));
  return { homeKey: identity.homeKey, grant: identity.grant, proof: { payload, signature } };
}
