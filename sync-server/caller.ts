import { deviceIdOf, homeIdOf } from '../src/access/home-id.ts';
import { openGrant } from '../src/access/grant.ts';
import type { Credentials } from '../src/access/credentials.ts';
import { openProof } from '../src/access/proof.ts';
import { fromHex } from '../src/base/bytes.ts';
import { err, ok, type Result } from '../src/base/result.ts';
import type { Crypto } from '../src/crypto/ports.ts';
import type { DeviceId, HomeId } from '../src/model/ids.ts';
import type { Challenges } from './challenges.ts';
import type { AdmitToken } from './options.ts';

/** Who asks. */
export type Caller =
  /** The home itself. `admittedBy`: the token it showed along with its proof. */
  | {
      readonly type: 'home';
      readonly home: HomeId;
      readonly homeKey: Uint8Array;
      readonly admittedBy: AdmitToken | undefined;
    }
  /** `grantNumber`: the home's roster number when it was granted. */
  | {
      readonly type: 'device';
      readonly home: HomeId;
      readonly device: DeviceId;
      /** 64 hexadecimal digits. */
      readonly publicKey: string;
      readonly grantNumber: number;
    }
  | { readonly type: 'token'; readonly token: AdmitToken }
  | { readonly type: 'stranger' };

/** A caller who proved a key. */
export type Member = Extract<Caller, { readonly home: HomeId }>;

export interface ProofChecks {
  readonly crypto: Crypto;
  readonly challenges: Challenges;
  /** Origins of this relay; a proof made for another one was stolen or relayed. */
  readonly origins: ReadonlySet<string>;
}

/** Checks credentials for one room. The challenge is spent, whatever the rest is worth. */
export function checkCredentials(
  { challenges, crypto, origins }: ProofChecks,
  { grant, homeKey, proof }: Credentials,
  room: string,
): Result<Member> {
  const home = homeIdOf(crypto.sha256, homeKey);
  const granted = grant === null ? undefined : openGrant(crypto.verify, homeKey, home, grant);
  if (granted?.ok === false) return granted;
  const key = granted === undefined ? homeKey : fromHex(granted.value.publicKey);
  if (key === undefined) return err('The grant names no key.');
  const proved = openProof(crypto.verify, key, home, proof);
  if (!proved.ok) return proved;
  if (!challenges.take(proved.value.challenge, room) || proved.value.room !== room)
    return err('The challenge is spent, too old, or was given for another room.');
  if (!origins.has(proved.value.origin)) return err('The proof was made for another relay.');
  if (granted === undefined) return ok({ type: 'home', home, homeKey, admittedBy: undefined });
  if (granted.value.device !== deviceIdOf(crypto.sha256, key))
    return err('The grant names another device than its key.');
  const { device, number, publicKey } = granted.value;
  return ok({ type: 'device', home, device, publicKey, grantNumber: number });
}

/** What logs call a caller. */
export function callerName(caller: Caller): string {
  switch (caller.type) {
    case 'home':
      return caller.home;
    case 'device':
      return caller.device;
    case 'token':
      return `token ${caller.token.nickname}`;
    case 'stranger':
      return 'stranger';
  }
}
