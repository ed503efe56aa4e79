import { toHex } from '../../../src/base/bytes.ts';
import { signGrant } from '../../../src/access/grant.ts';
import { memoryBus, memoryLeader, noCache } from '../../../src/replica/index.ts';
import type { KeyMaker } from '../../../src/replica/ports.ts';
import type { Replica } from '../../../src/replica/types.ts';
import type { Dice, Household, Member, SimTime } from '../contract.ts';
import type { SimRelay } from './relay.ts';
import { SimCache, simDisk, type SimDisk } from './storage.ts';
import { SimWindow } from './window.ts';

export interface SimDeviceOptions {
  readonly at: number;
  readonly member: Member;
  readonly household: Household;
  readonly relay: SimRelay;
  readonly time: SimTime;
  readonly dice: Dice;
  readonly clockErrorMs: number;
  readonly hasCache: boolean;
}

/** One browser or phone: a disk, and windows that come and go over it. */
export class SimDevice {
  readonly name: string;
  readonly member: Member;
  readonly disk: SimDisk;
  readonly cache: SimCache | undefined;
  /** What a replica threw that nobody waits for. */
  readonly faults: unknown[] = [];
  readonly windows = new Set<SimWindow>();
  isAway = false;
  /** Its disk was cleared: it is nobody's device any more. */
  isEvicted = false;
  readonly #options: SimDeviceOptions;
  readonly #leader = memoryLeader();
  readonly #bus = memoryBus();
  readonly #keys: KeyMaker;
  #opened = 0;

  constructor(options: SimDeviceOptions) {
    this.#options = options;
    this.name = `d${options.at}`;
    this.member = options.member;
    this.disk = simDisk(options.household.workspace);
    this.cache = options.hasCache ? new SimCache() : undefined;
    this.#keys = keysOf(options.member, options.household);
  }

  /** Stores who it is, as enrolling does. */
  async enrol(): Promise<void> {
    const { household, member } = this.#options;
    const { home, signer } = household;
    const { id, nickname, right } = member;
    const publicKey = toHex(member.signer.publicKey);
    await this.disk.storage.identity.save({
      home,
      homeKey: toHex(signer.publicKey),
      device: id,
      nickname,
      relayUrl: 'ws://relay',
      grant: signGrant(signer, { v: 1, home, device: id, publicKey, right, number: 1 }),
      keys: null,
    });
  }

  /** A replica that a person can use now. */
  get replica(): Replica | undefined {
    for (const { replica } of this.windows) if (replica !== undefined) return replica;
    return undefined;
  }

  get canOpen(): boolean {
    return !this.isEvicted && this.windows.size < 2;
  }

  open(): void {
    const { at, clockErrorMs, dice, household, relay, time } = this.#options;
    this.#opened += 1;
    const owner = `d${at}w${this.#opened}`;
    time.setError(owner, clockErrorMs);
    const window = new SimWindow({
      name: owner,
      device: this.member.id,
      relay,
      disk: this.disk,
      cache: this.cache ?? noCache,
      leader: this.#leader,
      bus: this.#bus,
      keys: this.#keys,
      crypto: household.crypto,
      clock: time.clock(owner),
      random: dice.split(owner).random,
      onFault: (thrown) => void this.faults.push(thrown),
      onEnded: (ended) => {
        this.windows.delete(ended);
        time.end(owner);
      },
    });
    this.windows.add(window);
  }

  /** The page is loaded again, with nothing in its cache. */
  reload(): void {
    for (const window of this.windows) window.kill();
    this.cache?.lose();
    if (this.canOpen) this.open();
  }

  leave(): void {
    this.isAway = true;
    for (const { client } of this.windows) client?.leave();
  }

  come(): void {
    this.isAway = false;
    for (const { client } of this.windows) client?.come();
  }

  /** The browser clears what it stored; windows that were open are gone with it. */
  async evict(): Promise<void> {
    this.isEvicted = true;
    for (const window of this.windows) window.kill();
    this.cache?.lose();
    await this.disk.storage.clear();
  }
}

/** The member's own keys: making them is what costs, and here nobody steals them. */
function keysOf({ boxSecret, signer }: Member, { crypto }: Household): KeyMaker {
  const keys = {
    signer: { publicKey: signer.publicKey, sign: (message: Uint8Array) => Promise.resolve(signer.sign(message)) },
    agreement: crypto.agreement(boxSecret),
    kept: null,
  };
  return { make: () => Promise.resolve(keys), restore: () => Promise.resolve(keys) };
}
