import { onTestFinished, vi } from 'vitest';
import { systemClock } from '../../src/cli/home/system.ts';
import { nodeSyncPorts } from '../../src/cli/home/sync-ports.ts';
import { nodeCrypto, nodeRandom, nodeSigner } from '../../src/crypto/node.ts';
import type { ItemKind } from '../../src/model/decision.ts';
import {
  enrol,
  memoryBus,
  memoryLeader,
  memoryStorage,
  noCache,
  openReplica,
  seedKeys,
  type ActionView,
  type EnrolFetch,
  type Outgoing,
  type Replica,
  type ReplicaStorage,
  type Snapshot,
  type WorkspaceView,
} from '../../src/replica/index.ts';
import { openRelayClient } from '../../src/sync/relay-client.ts';

/** A browser of this machine, played by this process: its storage outlives its window. */
export interface TestDevice {
  readonly storage: ReplicaStorage;
  readonly replica: Replica;
  /** Closes the window and opens another one on the same storage. */
  reopen(): Promise<TestDevice>;
  /** Waits until what is seen satisfies. */
  sees(what: string, satisfied: (snapshot: Snapshot) => boolean): Promise<Snapshot>;
  /** The one workspace. */
  workspace(): WorkspaceView;
  action(seq: number): ActionView;
  decide(kind: ItemKind, seqs: readonly number[], note?: string): Promise<readonly Outgoing[]>;
}

const keys = seedKeys({ random: nodeRandom, signer: nodeSigner, agreement: nodeCrypto.agreement });

/** Opens a panel link the way the page does. */
export async function deviceFrom(link: string, nickname = 'test browser'): Promise<TestDevice> {
  const url = new URL(link);
  const storage = memoryStorage({ volatile: null });
  await enrol({
    origin: url.origin,
    secret: url.hash.slice('#b='.length),
    nickname,
    storage,
    keys,
    crypto: nodeCrypto,
    fetch: asPageOf(url.origin),
  });
  return open(storage);
}

/** A page's own requests carry its origin. */
function asPageOf(origin: string): EnrolFetch {
  return (url, request) => fetch(url, { ...request, headers: { ...request.headers, origin } });
}

async function open(storage: ReplicaStorage): Promise<TestDevice> {
  const replica = await openReplica({
    storage,
    cache: noCache,
    leader: memoryLeader(),
    bus: memoryBus(),
    keys,
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
    onFault: (thrown) => {
      throw thrown;
    },
  });
  onTestFinished(() => replica.close());
  const workspace = (): WorkspaceView => {
    const [only] = replica.snapshot().workspaces;
    if (only === undefined) throw new Error('The device sees no workspace.');
    return only;
  };
  const action = (seq: number): ActionView => {
    const { open: waiting, settled } = workspace();
    const found = [...waiting, ...settled].find(({ record }) => record.seq === seq);
    if (found === undefined) throw new Error(`The device does not see #${seq}.`);
    return found;
  };
  return {
    storage,
    replica,
    async reopen() {
      await replica.close();
      return open(storage);
    },
    sees: (what, satisfied) => waitFor(replica, what, satisfied),
    workspace,
    action,
    decide: (kind, seqs, note) =>
      replica.decide({
        workspace: workspace().id,
        kind,
        ids: seqs.map((seq) => action(seq).record.id),
        ...(note === undefined ? {} : { note }),
      }),
  };
}

async function waitFor(replica: Replica, what: string, satisfied: (snapshot: Snapshot) => boolean): Promise<Snapshot> {
  await vi.waitFor(
    () => {
      if (!satisfied(replica.snapshot())) throw new Error(`Not seen: ${what}. ${seenIn(replica.snapshot())}`);
    },
    // Shorter than a test, so that it fails with what it saw instead.
    { timeout: 60_000, interval: 20 },
  );
  return replica.snapshot();
}

/** What a failing test wants to know. */
function seenIn({ alarms, connection, outgoing, workspaces }: Snapshot): string {
  const actions = workspaces.map(({ loaded, open: waiting, settled, trouble }) => ({
    loaded,
    trouble,
    open: waiting.map(({ card, record }) => `#${record.seq} ${record.state} ${card}`),
    settled: settled.map(({ record }) => `#${record.seq} ${record.state}`),
  }));
  return JSON.stringify({
    connection,
    alarms,
    outgoing: outgoing.map(({ kind, state, why }) => [kind, state, why]),
    actions,
  });
}
