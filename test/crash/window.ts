import { toHex } from '../../src/base/bytes.ts';
import { signGrant } from '../../src/access/grant.ts';
import { deviceIdOf } from '../../src/access/home-id.ts';
import { systemClock } from '../../src/cli/home/system.ts';
import { nodeSyncPorts } from '../../src/cli/home/sync-ports.ts';
import { nodeCrypto, nodeRandom } from '../../src/crypto/node.ts';
import type { ActionId } from '../../src/model/ids.ts';
import { memoryBus, memoryLeader, memoryStorage, noCache, openReplica } from '../../src/replica/index.ts';
import type { Replica, ReplicaStorage, WorkspaceView } from '../../src/replica/index.ts';
import { openRelayClient } from '../../src/sync/relay-client.ts';
import { CRASH_HOME, CRASH_IDS, type CrashPlace } from '../support/crash-home.ts';
import { keysOfWindow, relayUrlOf, WINDOW_KEYS } from '../support/crash-publish-home.ts';
import type { Said } from '../support/crash-scenes.ts';

/** A window of a device of the home, in this process: what it was told and what it saved outlive the home. */
export class CrashWindow {
  readonly replica: Replica;
  readonly storage: ReplicaStorage;
  /** What went wrong in it. */
  readonly faults: unknown[];
  /** What it was shown, in order, and what it has a receipt for. */
  readonly said: Said[] = [];
  readonly #decides: boolean;
  readonly #shown = new Map<ActionId, string>();
  readonly #approved = new Set<ActionId>();
  readonly #listeners = new Set<() => void>();

  private constructor(replica: Replica, storage: ReplicaStorage, faults: unknown[], decides: boolean) {
    this.replica = replica;
    this.storage = storage;
    this.faults = faults;
    this.#decides = decides;
    replica.subscribe(() => this.#look());
    this.#look();
  }

  /** `storage`: of a window that was open before; absent for a device that has never looked. */
  static async open(
    place: CrashPlace,
    { decides, storage }: { readonly decides: boolean; readonly storage?: ReplicaStorage | undefined },
  ): Promise<CrashWindow> {
    const kept = storage ?? (await enrolled(place));
    const faults: unknown[] = [];
    const replica = await openReplica({
      storage: kept,
      cache: noCache,
      leader: memoryLeader(),
      bus: memoryBus(),
      keys: WINDOW_KEYS,
      connect: ({ identity, knownHead, onFault, relayUrl }) =>
        openRelayClient({
          relayUrl,
          identity,
          ports: nodeSyncPorts,
          onFault,
          ...(knownHead === undefined ? {} : { knownHead }),
        }),
      crypto: nodeCrypto,
      clock: systemClock,
      random: nodeRandom,
      onFault: (thrown) => void faults.push(thrown),
    });
    return new CrashWindow(replica, kept, faults, decides);
  }

  get workspace(): WorkspaceView | undefined {
    return this.replica.snapshot().workspaces[0];
  }

  /** What each action is in its eyes. */
  get states(): ReadonlyMap<string, string> {
    const { open = [], settled = [] } = this.workspace ?? {};
    return new Map([...open, ...settled].map(({ record }) => [record.id, record.state]));
  }

  /** Looks again at every change until it is satisfied; false when that takes too long. */
  sees(satisfied: () => boolean, withinMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (seen: boolean): void => {
        clearTimeout(timer);
        this.#listeners.delete(look);
        resolve(seen);
      };
      const look = (): void => (satisfied() ? end(true) : undefined);
      const timer = setTimeout(() => end(false), withinMs);
      this.#listeners.add(look);
      look();
    });
  }

  async close(): Promise<void> {
    await this.replica.close();
  }

  #look(): void {
    const { open = [], settled = [] } = this.workspace ?? {};
    for (const { card, record } of [...open, ...settled]) {
      const { id, state, title } = record;
      if (!this.#shown.has(id)) this.said.push({ say: 'proposed', id, name: title });
      if (this.#shown.get(id) !== state) this.said.push({ say: 'state', id, state });
      this.#shown.set(id, state);
      if (this.#decides && state === 'pending' && card === 'here') this.#approve(id);
    }
    for (const listener of this.#listeners) listener();
  }

  #approve(id: ActionId): void {
    const { workspace } = this;
    if (this.#approved.has(id) || workspace === undefined) return;
    this.#approved.add(id);
    this.replica.decide({ workspace: workspace.id, kind: 'approve', ids: [id] }).then(
      ([saved]) => void this.#received(id, saved?.n),
      (thrown: unknown) => void this.faults.push(thrown),
    );
  }

  /** What is in the outbox no more has a receipt. */
  async #received(id: ActionId, n: number | undefined): Promise<void> {
    const left = (): boolean => !this.replica.snapshot().outgoing.some((each) => each.n === n);
    if (await this.sees(left, RECEIPT_MS)) this.said.push({ say: 'received', id, kind: 'approve' });
  }
}

/** Longer than any case takes: it ends with the window. */
const RECEIPT_MS = 60_000;

async function enrolled(place: CrashPlace): Promise<ReplicaStorage> {
  const storage = memoryStorage({ volatile: null });
  const { kept, signer } = await keysOfWindow();
  const { publicKey } = signer;
  const { home } = CRASH_IDS;
  const device = deviceIdOf(nodeCrypto.sha256, publicKey);
  const grant = { v: 1, home, device, publicKey: toHex(publicKey), right: 'approve-all', number: 1 } as const;
  await storage.identity.save({
    home,
    homeKey: toHex(CRASH_HOME.publicKey),
    device,
    nickname: 'a window',
    relayUrl: relayUrlOf(place),
    grant: signGrant(CRASH_HOME, grant),
    keys: kept,
  });
  return storage;
}
