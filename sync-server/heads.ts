import { headWord } from '../src/access/credentials.ts';
import { openHead, type Head } from '../src/access/head.ts';
import { fromHex, toHex } from '../src/base/bytes.ts';
import { canonicalText } from '../src/base/canonical-json.ts';
import type { Verify } from '../src/crypto/ports.ts';
import type { HomeId } from '../src/model/ids.ts';
import type { SignedText } from '../src/model/signed-text.ts';
import type { Room } from '../src/sync/room.ts';
import type { Member } from './caller.ts';
import type { RelayStore, StoredHead } from './storage/store.ts';

/** A home's newest head, as far as a relay reads it: who belongs to it, and which rooms are current. */
export interface KnownHead {
  readonly head: Pick<Head, 'number' | 'roster' | 'rosterNumber' | 'workspaces' | 'log'>;
  readonly homeKey: Uint8Array;
  readonly admittedBy: string | undefined;
  /** Canonical JSON of the signed text: what is given out. */
  readonly json: string;
  /** What a caller says who has it. */
  readonly word: string;
}

export type HeadPut = 'put' | 'same' | 'stale' | 'forged';

/** The newest head of every home. */
export class Heads {
  readonly #store: RelayStore;
  readonly #verify: Verify;
  readonly #known = new Map<HomeId, KnownHead>();

  private constructor(store: RelayStore, verify: Verify) {
    this.#store = store;
    this.#verify = verify;
  }

  static async read(store: RelayStore, verify: Verify): Promise<Heads> {
    const heads = new Heads(store, verify);
    for (const stored of await store.heads()) heads.#restore(stored);
    return heads;
  }

  of(home: HomeId): KnownHead | undefined {
    return this.#known.get(home);
  }

  get size(): number {
    return this.#known.size;
  }

  /** A head that its home puts, after it is on the disk. The number never falls, and one number means one head. */
  async put(caller: Extract<Member, { readonly type: 'home' }>, signed: SignedText): Promise<HeadPut> {
    const { home, homeKey } = caller;
    const opened = openHead(this.#verify, homeKey, { home, number: 0 }, signed);
    if (!opened.ok) return 'forged';
    const json = canonicalText(signed);
    const before = this.#known.get(home);
    if (before?.json === json) return 'same';
    const admittedBy = caller.admittedBy?.nickname ?? before?.admittedBy;
    const { number } = opened.value;
    const kept = { home, number, homeKey: toHex(homeKey), admittedBy: admittedBy ?? null, signed: json };
    if (number <= (before?.head.number ?? 0) || !(await this.#store.putHead(kept))) return 'stale';
    // Two can be on their way to the disk at once; what is known follows the order of the store.
    if (number > (this.#known.get(home)?.head.number ?? 0))
      this.#known.set(home, { head: opened.value, homeKey, admittedBy, json, word: headWord(signed) });
    return 'put';
  }

  /**
   * Does the home still stand by this caller? The newest head overrules every grant that is not newer than its roster;
   * a relay that knows no head takes the grant's word, since a home that sleeps cannot send one.
   */
  standsBy(caller: Member): boolean {
    const known = this.#known.get(caller.home);
    if (known === undefined || caller.type === 'home' || caller.grantNumber > known.head.rosterNumber) return true;
    return known.head.roster.some(
      ({ device, publicKey }) => device === caller.device && publicKey === caller.publicKey,
    );
  }

  /** Has the newest head put another room in the place of this one? */
  isRetired(room: Room): boolean {
    if (room.kind !== 'ledger' && room.kind !== 'tile') return false;
    const head = this.#known.get(room.home)?.head;
    const workspace = head?.workspaces.find(({ id }) => id === room.workspace);
    const tile = room.workspace === null ? head?.log?.tile : workspace?.tile;
    const [current, asked] = room.kind === 'ledger' ? [workspace?.room, room.room] : [tile, room.tile];
    return typeof current === 'string' && isBefore(asked, current);
  }

  #restore({ admittedBy, home, homeKey, signed }: StoredHead): void {
    const key = fromHex(homeKey);
    // reason: the store gives back what `put` gave it, a home's id and canonical JSON of a signed text
    const [id, text] = [home as HomeId, JSON.parse(signed) as SignedText];
    const opened = key === undefined ? undefined : openHead(this.#verify, key, { home: id, number: 0 }, text);
    // One that does not open any more was written by another version; its home puts the next one.
    if (key === undefined || opened?.ok !== true) return;
    const word = headWord(text);
    this.#known.set(id, { head: opened.value, homeKey: key, admittedBy: admittedBy ?? undefined, json: signed, word });
  }
}

/** Is `<fence>.<number>` an earlier one? Something else than two numbers is before nothing. */
function isBefore(asked: string, current: string): boolean {
  const [fence = 0, number = 0] = asked.split('.').map(Number);
  const [newestFence = 0, newest = 0] = current.split('.').map(Number);
  return fence < newestFence || (fence === newestFence && number < newest);
}
