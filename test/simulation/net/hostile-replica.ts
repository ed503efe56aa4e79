import * as Y from 'yjs';
import { toHex } from '../../../src/base/bytes.ts';
import { sealInboxEntry, inboxKey, openInboxEntry } from '../../../src/doc/inbox.ts';
import { ROOT } from '../../../src/doc/schema.ts';
import type { Decision, ItemKind } from '../../../src/model/decision.ts';
import { homeId, workspaceId, type ActionId, type DeviceId, type Digest } from '../../../src/model/ids.ts';
import type { SignedText } from '../../../src/model/signed-text.ts';
import { roomName } from '../../../src/sync/room.ts';
import { decisionHash, decisionToSign } from '../../../src/trust/decision.ts';
import type { Dice, Household, Member } from '../contract.ts';
import type { Person } from '../contract.ts';
import { forgedInbox, forgedList } from './forgery.ts';
import { clientIdOf } from './link.ts';
import type { SimRelay } from './relay.ts';

type Pick = (n: number) => number;

export interface HostileReplicaOptions {
  readonly member: Member;
  readonly household: Household;
  readonly relay: SimRelay;
  readonly dice: Dice;
  /** From whom it knows what there is to decide. */
  readonly people: readonly Person[];
  /** The relay helps it: what it writes elsewhere is stored. */
  readonly relayHelps: boolean;
  readonly forged: Set<Digest>;
}

const KINDS: readonly ItemKind[] = ['approve', 'approve', 'reject', 'hold', 'retract'];
/** Entries in its own inbox before it clears it. */
const ENTRIES_MAX = 40;

/** A device that was paired, holds real keys, and keeps to no rule. It may do what its right allows, and no more. */
export class HostileReplica {
  readonly #options: HostileReplicaOptions;
  readonly #doc = new Y.Doc();
  readonly #room: string;
  readonly #queue: Uint8Array[] = [];
  #n = 0;
  #prev: Digest | null = null;

  constructor(options: HostileReplicaOptions) {
    const { dice, household, member } = options;
    this.#options = options;
    this.#room = roomName({ kind: 'inbox', home: household.home, device: member.id });
    this.#doc.clientID = clientIdOf(dice.random.bytes(4));
    this.#doc.on('update', (update: Uint8Array) => void this.#queue.push(update));
  }

  /** What it does, and whether the relay took it. */
  step(pick: Pick): { readonly name: string; readonly line: string } {
    switch (pick(9)) {
      case 0:
        return this.#said('honest decision', this.#putOwn(this.#decision(pick), true));
      case 1:
        return this.#said('equivocation', this.#equivocate(pick));
      case 2:
        return this.#said('decision of another', this.#replay(pick));
      case 3:
        return this.#said('another workspace or home', this.#elsewhere(pick));
      case 4:
        return this.#said('forged signature', this.#impersonate(pick));
      case 5:
        return this.#said('junk', this.#junk(pick));
      case 6:
        return this.#said('flood', this.#flood(pick));
      default:
        return this.#said('foreign room', this.#writeElsewhere(pick));
    }
  }

  #said(name: string, line: string): { readonly name: string; readonly line: string } {
    this.#flush();
    return { name, line };
  }

  #flush(): void {
    const { member, relay } = this.#options;
    for (const update of this.#queue.splice(0)) relay.write(member.id, this.#room, update);
    const decisions = this.#doc.getMap(ROOT.inbox);
    if (decisions.size <= ENTRIES_MAX) return;
    this.#doc.transact(() => {
      for (const key of decisions.keys()) decisions.delete(key);
    });
    for (const update of this.#queue.splice(0)) relay.write(member.id, this.#room, update);
  }

  #decision(pick: Pick, changed: Partial<Decision> = {}): Decision {
    const { household, member, people } = this.#options;
    const kind = KINDS[pick(KINDS.length)] ?? 'reject';
    const seen = people.flatMap((person) => person.sees());
    const action = seen[pick(seen.length)];
    const unknown = { id: `a-${'a'.repeat(26)}` as ActionId, digest: '0'.repeat(64) as Digest }; // reason: nobody's
    const item = action === undefined ? unknown : { id: action.id, digest: action.digest };
    const attention = action?.attention ?? null;
    return {
      v: 1,
      home: household.home,
      workspace: household.workspace,
      device: member.id,
      n: this.#n + 1,
      prev: this.#prev,
      kind,
      items: [attention === null || pick(3) === 0 ? item : { ...item, attention }],
      holdsLifted: [],
      seen: null,
      ...(kind === 'approve' ? { body: { mode: 'rest' } } : {}),
      ...changed,
    };
  }

  #sign(decision: Decision): SignedText {
    const { payload, message } = decisionToSign(decision);
    return { payload, signature: toHex(this.#options.member.signer.sign(message)) };
  }

  /** Under its own number. `counts`: its chain goes on from there. */
  #putOwn(decision: Decision, counts: boolean): string {
    const signed = this.#sign(decision);
    const hash = this.#hash(signed);
    if (this.#isRevoked()) this.#options.forged.add(hash);
    this.#put(decision.n, signed);
    if (counts) {
      this.#n = decision.n;
      this.#prev = hash;
    }
    return `${decision.kind} ${decision.n}`;
  }

  /** Two texts under one number. */
  #equivocate(pick: Pick): string {
    this.#putOwn(this.#decision(pick), false);
    this.#flush();
    return this.#putOwn(this.#decision(pick, { note: `other ${pick(1000)}` }), true);
  }

  /** What somebody else signed, in an inbox and under a number that are not his. */
  #replay(pick: Pick): string {
    const { household, people, relay } = this.#options;
    const device = people[pick(people.length)]?.id;
    if (device === undefined) return 'nobody';
    const name = roomName({ kind: 'inbox', home: household.home, device });
    const entries = [...(relay.rooms.get(name)?.doc.getMap<unknown>(ROOT.inbox).entries() ?? [])];
    const [key, bytes] = entries[pick(entries.length)] ?? [];
    if (key === undefined || !(bytes instanceof Uint8Array)) return 'nothing';
    const n = Number(key.split(':')[1]);
    const at = { workspace: household.workspace, n };
    const opened = openInboxEntry(household.crypto.seal, name, household.keys(), at, bytes);
    if (!opened.ok) return 'what it cannot read';
    this.#put(pick(2) === 0 ? n : this.#n + 1, opened.value);
    return `of ${device.slice(0, 5)}`;
  }

  #elsewhere(pick: Pick): string {
    const { dice } = this.#options;
    const changed =
      pick(2) === 0 ? { workspace: workspaceId(dice.random.bytes(16)) } : { home: homeId(dice.random.bytes(16)) };
    const decision = this.#decision(pick, changed);
    return this.#putForged(decision, decision.n);
  }

  /** In the name of somebody else, signed by itself; in its own inbox, or in his where the relay helps. */
  #impersonate(pick: Pick): string {
    const { household, people, relay, relayHelps } = this.#options;
    const victim = people[pick(people.length)]?.id;
    if (victim === undefined) return 'nobody';
    const n = 1 + pick(30);
    const prev = n === 1 ? null : ('0'.repeat(64) as Digest); // reason: nobody's
    const decision = this.#decision(pick, { device: victim, n, prev });
    if (!relayHelps || pick(2) === 0) return this.#putForged(decision, decision.n);
    const signed = this.#sign(decision);
    this.#options.forged.add(this.#hash(signed));
    const name = roomName({ kind: 'inbox', home: household.home, device: victim });
    const room = relay.room(name);
    const copy = new Y.Doc();
    Y.applyUpdate(copy, Y.encodeStateAsUpdate(room.doc));
    const before = Y.encodeStateVector(copy);
    copy.clientID = clientIdOf(this.#options.dice.random.bytes(4));
    copy.getMap(ROOT.inbox).set(this.#key(decision.n), this.#sealed(name, decision.n, signed));
    relay.store(name, Y.encodeStateAsUpdate(copy, before), undefined);
    return `in the inbox of ${victim.slice(0, 5)}`;
  }

  #junk(pick: Pick): string {
    const { random } = this.#options.dice;
    const decisions = this.#doc.getMap(ROOT.inbox);
    const key = pick(3) === 0 ? `${pick(9)}:x` : this.#key(1 + pick(60));
    const values: readonly unknown[] = [random.bytes(pick(90)), 'text', null, { deep: [1] }, Uint8Array.of(9)];
    decisions.set(key, values[pick(values.length)]);
    return key.slice(-4);
  }

  #flood(pick: Pick): string {
    const { random } = this.#options.dice;
    const decisions = this.#doc.getMap(ROOT.inbox);
    this.#doc.transact(() => {
      for (let at = 0; at < 20; at++) decisions.set(this.#key(100 + pick(900)), random.bytes(40));
    });
    return '20 entries';
  }

  /** Rooms that are not its own: an honest relay turns it away. */
  #writeElsewhere(pick: Pick): string {
    const { dice, member, relay, relayHelps } = this.#options;
    const rooms = [...relay.rooms.values()].filter(({ name }) => name !== this.#room);
    const room = rooms[pick(rooms.length)];
    if (room === undefined) return 'there is none';
    const forge = room.name.startsWith('d/') ? forgedInbox : forgedList;
    const forgery = forge(room.doc, dice.random, pick);
    const taken = relay.write(member.id, room.name, forgery.update);
    if (!taken && relayHelps) relay.plant(room.name, forgery);
    return `${room.name.slice(0, 1)} ${taken ? 'TAKEN' : 'turned away'}`;
  }

  #putForged(decision: Decision, n: number): string {
    const signed = this.#sign(decision);
    this.#options.forged.add(this.#hash(signed));
    this.#put(n, signed);
    return `${decision.kind} ${n}`;
  }

  #put(n: number, signed: SignedText): void {
    this.#doc.getMap(ROOT.inbox).set(this.#key(n), this.#sealed(this.#room, n, signed));
  }

  #sealed(name: string, n: number, signed: SignedText): Uint8Array {
    const { dice, household } = this.#options;
    const by = { seal: household.crypto.seal, random: dice.random };
    return sealInboxEntry(by, name, household.keys().newest, { workspace: household.workspace, n }, signed);
  }

  #key(n: number): string {
    return inboxKey({ workspace: this.#options.household.workspace, n });
  }

  #hash({ payload }: SignedText): Digest {
    return decisionHash(this.#options.household.crypto.sha256, payload);
  }

  #isRevoked(): boolean {
    const { household, member } = this.#options;
    return household.members.some(
      ({ id, revoked }: { readonly id: DeviceId; readonly revoked: boolean }) => id === member.id && revoked,
    );
  }
}
