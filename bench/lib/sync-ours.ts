import { credentialText, headWord, toSubprotocols, type Credentials } from '../../src/access/credentials.ts';
import { signGrant } from '../../src/access/grant.ts';
import { signHead, type Head } from '../../src/access/head.ts';
import { deviceIdOf, homeIdOf } from '../../src/access/home-id.ts';
import { proofToSign } from '../../src/access/proof.ts';
import { toHex } from '../../src/base/bytes.ts';
import { canonicalText } from '../../src/base/canonical-json.ts';
import { nodeCrypto, nodeRandom, nodeSigner } from '../../src/crypto/node.ts';
import { workspaceId, type HomeId } from '../../src/model/ids.ts';
import type { SignedText } from '../../src/model/signed-text.ts';
import { roomName } from '../../src/sync/room.ts';

/** A home with one device that a relay serves: what asking it takes besides opening a socket. */
export interface BenchAccess {
  room(at: number): string;
  protocols(who: 'home' | 'device', room: string): Promise<readonly string[]>;
}

const JSON_BODY = { 'content-type': 'application/json' } as const;

/** Puts a head that names so many rooms, each of a workspace of its own, so that the device may read them. */
export async function introduce(port: number, rooms: number): Promise<BenchAccess> {
  const origin = `ws://127.0.0.1:${port}`;
  const homeKey = nodeSigner(nodeRandom.bytes(32));
  const deviceKey = nodeSigner(nodeRandom.bytes(32));
  const home = homeIdOf(nodeCrypto.sha256, homeKey.publicKey);
  const device = deviceIdOf(nodeCrypto.sha256, deviceKey.publicKey);
  const publicKey = toHex(deviceKey.publicKey);
  const workspaces = Array.from({ length: rooms }, (_, at) => workspaceId(nodeCrypto.sha256(Uint8Array.of(at))));
  const grant = signGrant(homeKey, { v: 1, home, device, publicKey, right: 'approve-all', number: 1 });
  const credentials = async (who: 'home' | 'device', room: string): Promise<Credentials> => {
    const signer = who === 'home' ? homeKey : deviceKey;
    const challenge = await challengeFor(port, room);
    const { payload, message } = proofToSign({ v: 1, home, origin, room, challenge });
    const proof = { payload, signature: toHex(signer.sign(message)) };
    return { homeKey: homeKey.publicKey, grant: who === 'home' ? null : grant, proof };
  };
  const head: Head = {
    v: 1,
    home,
    number: 1,
    atMs: 1_700_000_000_000,
    roster: [{ device, publicKey, boxKey: null, right: 'approve-all', addedEntry: 1 }],
    rosterNumber: 1,
    workspaces: workspaces.map((id) => ({
      id,
      fence: 1,
      keyGen: 1,
      room: '1.1',
      tile: null,
      manifestRoot: null,
      checkpoint: null,
      boxes: [],
      older: [],
    })),
  };
  const signed = signHead(homeKey, head);
  await putHead(port, home, await credentials('home', roomName({ kind: 'head', home })), signed);
  return {
    room(at) {
      const workspace = workspaces[at];
      if (workspace === undefined) throw new Error(`this home has ${rooms} rooms`);
      return roomName({ kind: 'ledger', home, workspace, room: '1.1' });
    },
    protocols: async (who, room) => [...toSubprotocols(await credentials(who, room)), headWord(signed)],
  };
}

async function challengeFor(port: number, room: string): Promise<string> {
  const answer = await ask(port, `/challenge?room=${encodeURIComponent(room)}`, {});
  // reason: the shape the relay promises; a missing challenge fails the next request
  return (JSON.parse(answer) as { readonly challenge: string }).challenge;
}

async function putHead(port: number, home: HomeId, credentials: Credentials, head: SignedText): Promise<void> {
  const body = canonicalText({ credentials: credentialText(credentials) });
  const answer = await ask(port, '/ticket', { method: 'POST', headers: JSON_BODY, body });
  // reason: the shape the relay promises; a missing ticket fails the next request
  const { ticket } = JSON.parse(answer) as { readonly ticket: string };
  const headers = { ...JSON_BODY, authorization: `Bearer ${ticket}` };
  await ask(port, `/h/${home}`, { method: 'PUT', headers, body: canonicalText(head) });
}

async function ask(port: number, path: string, request: RequestInit): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, request);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text}`);
  return text;
}
