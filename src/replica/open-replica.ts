import { fromHex } from '../base/bytes.ts';
import type { Clock } from '../base/clock.ts';
import { CountersignError } from '../base/errors.ts';
import type { Random } from '../base/random.ts';
import type { Crypto } from '../crypto/ports.ts';
import type { SignedText } from '../model/signed-text.ts';
import type { Identity as Caller, RelayClient } from '../sync/contract.ts';
import { parseSignedText } from './head/signed-json.ts';
import type { DocCache, Identity, KeyMaker, Leader, OpenBus, ReplicaStorage } from './ports.ts';
import { DeviceReplica } from './replica.ts';
import type { Replica } from './types.ts';

/** What is needed to reach a relay, for `openRelayClient` or a fake. */
export interface Connecting {
  readonly relayUrl: string;
  readonly identity: Caller;
  /** The newest head this device has kept. */
  readonly knownHead: SignedText | undefined;
  readonly onFault: (thrown: unknown) => void;
}

/** The outside world of a replica. `browserReplica` and the memory ports hand in theirs. */
export interface ReplicaOptions {
  readonly storage: ReplicaStorage;
  readonly cache: DocCache;
  readonly leader: Leader;
  readonly bus: OpenBus;
  readonly keys: KeyMaker;
  readonly connect: (connecting: Connecting) => RelayClient;
  readonly crypto: Crypto;
  readonly clock: Clock;
  readonly random: Random;
  /** Something went wrong that nobody waits for; the replica goes on. */
  readonly onFault: (thrown: unknown) => void;
}

/**
 * Opens this device's replica from what its storage holds; everything that was there when it was closed is there again,
 * with or without a relay.
 *
 * Throws: `not-found` on a device that was not enrolled; `storage` when what is stored cannot be read.
 */
export async function openReplica(options: ReplicaOptions): Promise<Replica> {
  const { bus, cache, clock, crypto, leader, onFault, random, storage } = options;
  const identity = await storage.identity.load();
  if (identity === undefined) throw new CountersignError('not-found', 'This browser is not one of the home’s devices.');
  const keys = await options.keys.restore(identity.keys);
  const homeKey = fromHex(identity.homeKey);
  if (homeKey?.length !== 32) throw new CountersignError('storage', 'The key of the home cannot be read.');
  const replica = new DeviceReplica({
    core: {
      home: identity.home,
      homeKey,
      device: identity.device,
      keys,
      crypto,
      clock,
      random,
      storage,
      cache,
      client: options.connect({
        relayUrl: identity.relayUrl,
        identity: callerOf(identity, homeKey, (message) => keys.signer.sign(message)),
        knownHead: await knownHead(storage),
        onFault,
      }),
      run: (task) => {
        task().catch(onFault);
      },
    },
    nickname: identity.nickname,
    leader,
    bus,
    volatile: await storage.volatile(),
  });
  await replica.start();
  return replica;
}

function callerOf({ grant, home }: Identity, homeKey: Uint8Array, sign: Caller['sign']): Caller {
  return { home, homeKey, grant, sign };
}

async function knownHead(storage: ReplicaStorage): Promise<SignedText | undefined> {
  const fact = await storage.facts.get('head');
  const signed = fact === undefined ? undefined : parseSignedText(fact.value);
  return signed?.ok === true ? signed.value : undefined;
}
