import { openAuthority, type Authority } from './authority/authority.ts';
import { LocalDevice } from './authority/local-device.ts';
import type { AuthorityOptions, RosterPort } from './authority/options.ts';
import type { Journal, SurfacePack } from './authority/ports.ts';
import { neverFalling, type Clock } from './base/clock.ts';
import type { Random } from './base/random.ts';
import { utf8 } from './base/bytes.ts';
import { nobleCrypto, nobleSigner } from './crypto/noble.ts';
import type { Crypto } from './crypto/ports.ts';
import { deviceId, homeId, workspaceId } from './model/ids.ts';

/** Countersign inside another program: the authority, an agent's port, and the person's device. */
export interface Countersign {
  readonly authority: Authority;
  /** Signs what the person of this program decides; its right is `approve-all`. */
  readonly person: LocalDevice;
  /** Finishes what is in flight and closes the journal. */
  readonly stop: () => Promise<void>;
}

export interface CountersignOptions {
  /** Names the guarded world; the same name is the same workspace. A folder's path, for files. */
  readonly workspace: string;
  readonly surfaces: readonly SurfacePack[];
  readonly journal: Journal;
  /** 32 secret bytes the home's and the person's keys are made of; without them they live as long as the process. */
  readonly secret?: Uint8Array;
  /** Grows when the workspace was copied or put back from a backup: approvals are then asked again. 1 when left out. */
  readonly fence?: number;
  /** Milliseconds what cannot be undone waits after its approval, and after which an approval is asked for again. */
  readonly graceMs?: number;
  readonly staleMs?: number;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Hashes and verifies; portable code unless a faster one is at hand. */
  readonly crypto?: Crypto;
  onAlarm?(text: string): void;
  /** Runs before the first effect: decisions that were kept while nothing ran go in here, and come in time. */
  beforeDrain?(countersign: Omit<Countersign, 'stop'>): Promise<void>;
}

/** Embeds Countersign in one call, without a native module, a process or a socket. */
export async function createCountersign(options: CountersignOptions): Promise<Countersign> {
  const random = options.random ?? platformRandom;
  const secret = options.secret ?? random.bytes(32);
  const ports = options.crypto ?? nobleCrypto;
  const { sha256, verify } = ports;
  const key = (what: string) => nobleSigner(sha256(new Uint8Array([...utf8(`countersign ${what}|1\n`), ...secret])));
  const homeKey = key('home key');
  const deviceKey = key('device key');
  const device = deviceId(sha256(deviceKey.publicKey));
  const roster: RosterPort = {
    device: (id) =>
      id === device
        ? { publicKey: deviceKey.publicKey, nickname: 'this program', right: 'approve-all', revoked: false }
        : undefined,
    number: () => 1,
  };
  const ids = { home: homeId(sha256(homeKey.publicKey)), workspace: workspaceId(sha256(utf8(options.workspace))) };
  const personOf = (authority: Authority) =>
    new LocalDevice(device, { ...ids, authority, signer: deviceKey, sha256, verify, homeKey: homeKey.publicKey });
  const authority = await openAuthority(
    {
      ...ids,
      fence: options.fence ?? 1,
      journal: options.journal,
      packs: options.surfaces,
      crypto: ports,
      signer: homeKey,
      clock: options.clock ?? platformClock,
      random,
      roster,
      ...(options.graceMs === undefined ? {} : { graceMs: options.graceMs }),
      ...(options.staleMs === undefined ? {} : { staleMs: options.staleMs }),
      onAlarm: (text) => options.onAlarm?.(text),
      onFatal: (error) => {
        throw error;
      },
    },
    async (opened) => options.beforeDrain?.({ authority: opened, person: personOf(opened) }),
  );
  const person = personOf(authority);
  return { authority, person, stop: () => authority.stop() };
}

const platformRandom: Random = { bytes: (count) => crypto.getRandomValues(new Uint8Array(count)) };

const platformClock: Clock = {
  nowMs: neverFalling(() => Date.now()),
  monotonicMs: () => performance.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
  soon: (run) => void setTimeout(run, 0),
};

export type { Authority, AuthorityOptions, Journal, SurfacePack };
export type { AgentPort, CallAnswer, SessionHello, ToolCall } from './model/agent-port.ts';
export type { ActionDetail, QueueRow } from './model/owner-port.ts';
export type { Surface, ReadTool, Described, Outcome, Probed, RevertOutcome } from './authority/ports.ts';
export { CountersignError } from './base/errors.ts';
