import { toHex } from '../../../src/base/bytes.ts';
import type { Random } from '../../../src/base/random.ts';
import { signHead, type Head, type HeadWorkspace, type KeyBox, type OlderKey } from '../../../src/access/head.ts';
import { sealKey, sealOlder } from '../../../src/doc/keys.ts';
import type { SignedText } from '../../../src/model/signed-text.ts';
import type { Household, Member } from '../contract.ts';

/** Signs what is current, as a home's book does. Boxes are made once a device and generation: they are the slow part. */
export class Heads {
  readonly #household: Household;
  readonly #random: Random;
  readonly #boxes = new Map<string, KeyBox>();
  readonly #older = new Map<number, OlderKey>();
  #number = 0;

  constructor(household: Household, random: Random) {
    this.#household = household;
    this.#random = random;
  }

  get number(): number {
    return this.#number;
  }

  async next(atMs: number): Promise<SignedText> {
    const { home, members, roster, signer } = this.#household;
    const present = members.filter(({ revoked }) => !revoked);
    const number = ++this.#number;
    const workspace = await this.#workspace(present);
    const head: Head = {
      v: 1,
      home,
      number,
      atMs,
      roster: present.map((member) => ({
        device: member.id,
        publicKey: toHex(member.signer.publicKey),
        boxKey: toHex(this.#household.crypto.agreement(member.boxSecret).publicKey),
        right: member.right,
        addedEntry: 0,
      })),
      rosterNumber: roster.number(),
      workspaces: [workspace],
    };
    return signHead(signer, head);
  }

  async #workspace(present: readonly Member[]): Promise<HeadWorkspace> {
    const { secrets, workspace } = this.#household;
    const published = this.#household.published();
    const newest = secrets.at(-1) ?? secrets[0];
    const boxes: KeyBox[] = [];
    for (const member of present) boxes.push(await this.#box(member, newest));
    return {
      id: workspace,
      // A room is named by the fence it was begun under.
      fence: Number(published.room?.split('.')[0] ?? 1),
      keyGen: newest.gen,
      room: published.room,
      tile: published.tile,
      manifestRoot: published.manifestRoot,
      checkpoint: published.checkpoint,
      ...(published.heartbeat === undefined ? {} : { heartbeat: published.heartbeat }),
      boxes,
      older: secrets.slice(0, -1).map((older, at) => this.#sealed(secrets[at + 1] ?? older, older)),
    };
  }

  async #box(member: Member, secret: Household['secrets'][0]): Promise<KeyBox> {
    const key = `${member.id} ${secret.gen}`;
    const known = this.#boxes.get(key);
    if (known !== undefined) return known;
    const { crypto, home, workspace } = this.#household;
    const boxKey = toHex(crypto.agreement(member.boxSecret).publicKey);
    const box = await sealKey(crypto, this.#random, { home, workspace }, secret, { device: member.id, boxKey });
    if (box === undefined) throw new Error('a member has a box key that works');
    this.#boxes.set(key, box);
    return box;
  }

  #sealed(newer: Household['secrets'][0], older: Household['secrets'][0]): OlderKey {
    const { crypto, home, workspace } = this.#household;
    const sealed = this.#older.get(older.gen) ?? sealOlder(crypto, this.#random, { home, workspace }, newer, older);
    this.#older.set(older.gen, sealed);
    return sealed;
  }
}
