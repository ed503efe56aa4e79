import type { Clock } from '../base/clock.ts';
import type { Random } from '../base/random.ts';
import type { Crypto } from '../crypto/ports.ts';
import type { DeviceId, HomeId } from '../model/ids.ts';
import type { RelayClient } from '../sync/contract.ts';
import type { Alarms } from './alarms.ts';
import type { DeviceKeys, DocCache, ReplicaStorage } from './ports.ts';

/** What every part of a replica stands on. */
export interface Core {
  readonly home: HomeId;
  readonly homeKey: Uint8Array;
  readonly device: DeviceId;
  readonly keys: DeviceKeys;
  readonly crypto: Crypto;
  readonly clock: Clock;
  readonly random: Random;
  readonly storage: ReplicaStorage;
  readonly cache: DocCache;
  readonly client: RelayClient;
  readonly alarms: Alarms;
  /** Something a snapshot shows has changed. */
  readonly changed: () => void;
  /** Runs what goes on by itself; what it throws is somebody's to hear of, and ends nothing else. */
  readonly run: (task: () => Promise<void>) => void;
}
