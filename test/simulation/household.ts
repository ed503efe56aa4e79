import { deviceIdOf, homeIdOf } from '../../src/access/home-id.ts';
import type { PublishedDevice, RosterDevice, RosterPort } from '../../src/authority/options.ts';
import type { Published } from '../../src/authority/publish/outlet.ts';
import { utf8 } from '../../src/base/bytes.ts';
import { keyRing, type ContentSecret, type KeyRing } from '../../src/doc/keys.ts';
import type { Right } from '../../src/model/decision.ts';
import { workspaceId, type DeviceId, type HomeId, type WorkspaceId } from '../../src/model/ids.ts';
import type { Signer } from '../../src/crypto/ports.ts';
import type { Dice, Household, Member } from './contract.ts';
import type { SimCrypto } from './sim-crypto.ts';

const NOTHING_PUBLISHED: Published = { room: null, tile: null, manifestRoot: null, checkpoint: null };

/** Seeds of keys are the same in every simulation of a process: making them is the expensive part. */
const seedOf = (what: string): Uint8Array => utf8(`simulated ${what}`.padEnd(32, '.').slice(0, 32));

/** A home with one workspace; it outlives every restart of its authority. */
export class SimHousehold implements Household {
  readonly home: HomeId;
  readonly workspace: WorkspaceId;
  readonly signer: Signer;
  readonly crypto: SimCrypto['crypto'];
  readonly roster: RosterPort;
  #members: readonly Member[];
  #secrets: readonly [ContentSecret, ...ContentSecret[]];
  #number = 1;
  #published = NOTHING_PUBLISHED;
  #keys: KeyRing | undefined;
  readonly #dice: Dice;
  readonly #devices: Map<DeviceId, RosterDevice>;

  constructor(options: { readonly sim: SimCrypto; readonly dice: Dice; readonly rights: readonly Right[] }) {
    const { sim, dice, rights } = options;
    this.#dice = dice;
    this.crypto = sim.crypto;
    const { sha256 } = sim.crypto;
    this.signer = sim.signer(seedOf('home'));
    this.home = homeIdOf(sha256, this.signer.publicKey);
    this.workspace = workspaceId(sha256(utf8('simulated workspace')));
    this.#secrets = [{ gen: 1, secret: dice.random.bytes(32) }];
    this.#members = rights.map((right, at) => {
      const signer = sim.signer(seedOf(`device ${at}`));
      const id = deviceIdOf(sha256, signer.publicKey);
      return { id, signer, nickname: `device ${at}`, boxSecret: seedOf(`box ${at}`), right, revoked: false };
    });
    this.#devices = new Map();
    this.#list();
    this.roster = { device: (id) => this.#devices.get(id), number: () => this.#number };
  }

  get members(): readonly Member[] {
    return this.#members;
  }

  get secrets(): readonly [ContentSecret, ...ContentSecret[]] {
    return this.#secrets;
  }

  keys(): KeyRing {
    this.#keys ??= keyRing(this.crypto.hmac, this.#secrets);
    return this.#keys;
  }

  devices(): readonly PublishedDevice[] {
    return this.#members.map(({ id, nickname, right, revoked }) => ({ id, nickname, right, removed: revoked }));
  }

  published(): Published {
    return this.#published;
  }

  setPublished(published: Published): void {
    this.#published = published;
  }

  revoke(id: DeviceId): void {
    this.#change(id, (member) => ({ ...member, revoked: true }));
    this.#secrets = [...this.#secrets, { gen: this.#secrets.length + 1, secret: this.#dice.random.bytes(32) }];
    this.#keys = undefined;
  }

  setRight(id: DeviceId, right: Right): void {
    this.#change(id, (member) => ({ ...member, right }));
  }

  #change(id: DeviceId, change: (member: Member) => Member): void {
    this.#members = this.#members.map((member) => (member.id === id ? change(member) : member));
    this.#number += 1;
    this.#list();
  }

  #list(): void {
    for (const { id, signer, nickname, right, revoked } of this.#members)
      this.#devices.set(id, { publicKey: signer.publicKey, nickname, right, revoked });
  }
}
