import { toSubprotocols, credentialText, type Credentials } from '../../src/access/credentials.ts';
import { signGrant } from '../../src/access/grant.ts';
import { signHead, type Head, type HeadLog, type HeadWorkspace } from '../../src/access/head.ts';
import { deviceIdOf, homeIdOf } from '../../src/access/home-id.ts';
import { proofToSign } from '../../src/access/proof.ts';
import { toHex } from '../../src/base/bytes.ts';
import { nodeCrypto, nodeSigner } from '../../src/crypto/node.ts';
import type { Signer } from '../../src/crypto/ports.ts';
import { workspaceId, type DeviceId, type HomeId } from '../../src/model/ids.ts';
import type { SignedText } from '../../src/model/signed-text.ts';
import { roomName } from '../../src/sync/room.ts';

export const WORKSPACE = workspaceId(new Uint8Array(16).fill(7));

/** Somebody with a key: a home, or a device with its grant. */
export interface Person {
  readonly home: HomeId;
  readonly homeKey: Uint8Array;
  readonly device: DeviceId | undefined;
  readonly signer: Signer;
  readonly grant: SignedText | null;
}

/** A home with as many devices as asked, all granted at roster number 1. */
export interface Family {
  readonly home: Person;
  readonly devices: readonly Person[];
  readonly rooms: { readonly ledger: string; readonly tile: string; readonly head: string };
  inbox(device: Person): string;
  head(number: number, changes?: HeadChanges): SignedText;
}

interface HeadChanges {
  readonly roster?: readonly Person[];
  readonly rosterNumber?: number;
  readonly room?: string;
  readonly tile?: string;
  /** Of the home's own log. */
  readonly log?: HeadLog;
}

export function family(seed: number, deviceCount: number): Family {
  const signer = nodeSigner(new Uint8Array(32).fill(seed));
  const homeId = homeIdOf(nodeCrypto.sha256, signer.publicKey);
  const home: Person = { home: homeId, homeKey: signer.publicKey, device: undefined, signer, grant: null };
  const devices = Array.from({ length: deviceCount }, (_, index) => grantDevice(home, seed + 1 + index, 1));
  return {
    home,
    devices,
    rooms: {
      ledger: roomName({ kind: 'ledger', home: homeId, workspace: WORKSPACE, room: '1.1' }),
      tile: roomName({ kind: 'tile', home: homeId, workspace: WORKSPACE, tile: '1.1' }),
      head: roomName({ kind: 'head', home: homeId }),
    },
    inbox: (device) => inboxOf(device),
    head: (number, changes = {}) => signHead(signer, headOf(homeId, number, { roster: devices, ...changes })),
  };
}

export function grantDevice(home: Person, seed: number, number: number): Person {
  const signer = nodeSigner(new Uint8Array(32).fill(seed));
  const device = deviceIdOf(nodeCrypto.sha256, signer.publicKey);
  const grant = {
    v: 1,
    home: home.home,
    device,
    publicKey: toHex(signer.publicKey),
    right: 'approve-all',
    number,
  } as const;
  return { home: home.home, homeKey: home.homeKey, device, signer, grant: signGrant(home.signer, grant) };
}

export function inboxOf({ device, home }: Person): string {
  if (device === undefined) throw new Error('a home has no inbox');
  return roomName({ kind: 'inbox', home, device });
}

/** Credentials with a challenge that the relay gives now. */
async function credentialsFor(person: Person, room: string, origin: string): Promise<Credentials> {
  const answer = await fetch(`${origin.replace(/^ws/, 'http')}/challenge?room=${encodeURIComponent(room)}`);
  // reason: what the relay under test answers; a wrong shape fails the test that uses it
  const { challenge } = (await answer.json()) as { challenge: string };
  return credentialsWith(person, { room, origin, challenge });
}

export function credentialsWith(
  { grant, home, homeKey, signer }: Person,
  asked: { readonly room: string; readonly origin: string; readonly challenge: string },
): Credentials {
  const { message, payload } = proofToSign({ v: 1, home, ...asked });
  return { homeKey, grant, proof: { payload, signature: toHex(signer.sign(message)) } };
}

export async function protocolsFor(person: Person, room: string, origin: string): Promise<readonly string[]> {
  return toSubprotocols(await credentialsFor(person, room, origin));
}

/** A ticket for HTTP; the refusal's status when there is none. */
export async function ticketFor(person: Person, origin: string, token?: string): Promise<string | number> {
  const room = roomName({ kind: 'head', home: person.home });
  const credentials = credentialText(await credentialsFor(person, room, origin));
  const answer = await fetch(`${origin.replace(/^ws/, 'http')}/ticket`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ credentials }),
  });
  if (answer.status !== 200) return answer.status;
  // reason: as above
  return ((await answer.json()) as { ticket: string }).ticket;
}

function headOf(home: HomeId, number: number, changes: HeadChanges): Head {
  const workspace: HeadWorkspace = {
    id: WORKSPACE,
    fence: 1,
    keyGen: 1,
    room: changes.room ?? '1.1',
    tile: changes.tile ?? '1.1',
    manifestRoot: null,
    checkpoint: null,
    boxes: [],
    older: [],
  };
  const roster = (changes.roster ?? []).flatMap(({ device, signer }) =>
    device === undefined
      ? []
      : [{ device, publicKey: toHex(signer.publicKey), boxKey: null, right: 'approve-all' as const, addedEntry: 1 }],
  );
  const log = changes.log === undefined ? {} : { log: changes.log };
  const rosterNumber = changes.rosterNumber ?? 1;
  return { v: 1, home, number, atMs: 1, roster, rosterNumber, workspaces: [workspace], ...log };
}
