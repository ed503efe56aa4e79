import { signGrant } from '../../src/access/grant.ts';
import { signHead, type Head } from '../../src/access/head.ts';
import { deviceIdOf, homeIdOf } from '../../src/access/home-id.ts';
import { signValue } from '../../src/access/signed.ts';
import { toHex } from '../../src/base/bytes.ts';
import { nobleCrypto, nobleSigner } from '../../src/crypto/noble.ts';
import { workspaceId } from '../../src/model/ids.ts';
import type { SignedText } from '../../src/model/signed-text.ts';
import type { Identity, LinkState, RelayClient, RoomLink } from '../../src/sync/contract.ts';
import { openRelayClient } from '../../src/sync/relay-client.ts';
import { roomName } from '../../src/sync/room.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';
import { seededRandom } from '../../src/testing/seeded-random.ts';
import { ScriptedRelay } from './sync-relay.ts';

const homeSigner = nobleSigner(new Uint8Array(32).fill(1));
const deviceSigner = nobleSigner(new Uint8Array(32).fill(2));
const otherSigner = nobleSigner(new Uint8Array(32).fill(3));

export const HOME = homeIdOf(nobleCrypto.sha256, homeSigner.publicKey);
const DEVICE = deviceIdOf(nobleCrypto.sha256, deviceSigner.publicKey);
const WORKSPACE = workspaceId(new Uint8Array(16).fill(7));

export const LEDGER = roomName({ kind: 'ledger', home: HOME, workspace: WORKSPACE, room: '1.1' });
export const INBOX = roomName({ kind: 'inbox', home: HOME, device: DEVICE });

export const homeIdentity: Identity = {
  home: HOME,
  homeKey: homeSigner.publicKey,
  grant: null,
  sign: (message) => homeSigner.sign(message),
};

export const deviceIdentity: Identity = {
  home: HOME,
  homeKey: homeSigner.publicKey,
  grant: signGrant(homeSigner, {
    v: 1,
    home: HOME,
    device: DEVICE,
    publicKey: toHex(deviceSigner.publicKey),
    right: 'approve-all',
    number: 1,
  }),
  // As WebCrypto: in its own time.
  sign: async (message) => deviceSigner.sign(message),
};

export function headOf(number: number, ledgerRoom: string | null = '1.1', atMs = 1): Head {
  return {
    v: 1,
    home: HOME,
    number,
    atMs,
    roster: [
      { device: DEVICE, publicKey: toHex(deviceSigner.publicKey), boxKey: null, right: 'approve-all', addedEntry: 1 },
    ],
    rosterNumber: 1,
    workspaces: [
      {
        id: WORKSPACE,
        fence: 1,
        keyGen: 1,
        room: ledgerRoom,
        tile: null,
        manifestRoot: null,
        checkpoint: null,
        boxes: [],
        older: [],
      },
    ],
  };
}

export function signedHead(head: Head): SignedText {
  return signHead(homeSigner, head);
}

export function forgedHead(head: Head): SignedText {
  return signHead(otherSigner, head);
}

/** Signed by the home, and of a version that is not known yet. */
export function newerHead(number: number): SignedText {
  return signValue(homeSigner, { type: 'head', home: HOME, workspace: null }, { ...headOf(number), v: 2 });
}

/** A client, the relay it talks to, and the only things that move them: time and `settle`. */
export class SyncLab {
  readonly clock = new FakeClock();
  readonly relay: ScriptedRelay;
  readonly client: RelayClient;
  readonly faults: unknown[] = [];

  constructor(
    options: {
      readonly identity?: Identity;
      readonly relay?: ScriptedRelay;
      readonly knownHead?: SignedText;
      readonly clock?: FakeClock;
    } = {},
  ) {
    this.relay = options.relay ?? new ScriptedRelay();
    if (options.clock !== undefined) this.clock = options.clock;
    this.client = openRelayClient({
      relayUrl: this.relay.origin,
      identity: options.identity ?? deviceIdentity,
      ports: {
        webSocket: this.relay.network.webSocket,
        fetch: this.relay.fetch,
        clock: this.clock,
        random: seededRandom(1),
        verify: nobleCrypto.verify,
      },
      ...(options.knownHead === undefined ? {} : { knownHead: options.knownHead }),
      onFault: (thrown) => this.faults.push(thrown),
    });
  }

  /** Lets everything happen that needs no time. Throws when it never ends. */
  async settle(): Promise<void> {
    let seen = -1;
    let quietTurns = 0;
    for (let turn = 0; quietTurns < QUIET_TURNS; turn++) {
      if (turn > 20_000) throw new Error('It never comes to rest: a busy loop.');
      await new Promise((resolve) => void setImmediate(resolve));
      const moved = this.relay.network.flush();
      const activity = this.relay.requests.length + this.relay.network.attempts;
      quietTurns = moved || activity !== seen ? 0 : quietTurns + 1;
      seen = activity;
    }
  }

  /** Time, in steps, with everything it leads to. */
  async pass(ms: number, stepMs = 250): Promise<void> {
    for (let left = ms; left > 0; left -= stepMs) {
      this.clock.advance(Math.min(stepMs, left));
      await this.settle();
    }
  }
}

/** Turns of the event loop in which nothing happens: a response's body takes a few. */
const QUIET_TURNS = 6;

/** What a link was, in order, as words. */
export function historyOf(link: RoomLink): string[] {
  const words: string[] = [wordOf(link.state())];
  link.subscribe((state) => {
    const word = wordOf(state);
    if (words.at(-1) !== word) words.push(word);
  });
  return words;
}

export function wordOf(state: LinkState): string {
  if (state.state === 'online') return state.synced ? 'synced' : 'online';
  if (state.state === 'waiting' || state.state === 'stopped') return `${state.state} ${state.reason}`;
  return state.state;
}
