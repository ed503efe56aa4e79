import type { Authority } from '../../src/authority/authority.ts';
import type { JsonObject } from '../../src/base/canonical-json.ts';
import { CountersignError } from '../../src/base/errors.ts';
import type { BodyKind, Decision } from '../../src/model/decision.ts';
import type { ActionId, DeviceId, Digest } from '../../src/model/ids.ts';
import { mayHappenTwice } from '../../src/model/lifecycle.ts';
import type { SignedText } from '../../src/model/signed-text.ts';
import { decisionHash, signDecision } from '../../src/trust/decision.ts';
import { openHeartbeat, seenOf } from '../../src/trust/heartbeat.ts';
import { openReceipt } from '../../src/trust/receipt.ts';
import type { Chronicle, Known } from './chronicle.ts';
import type { Dice, Household, Member, Person, SeenAction, SimWish } from './contract.ts';
import type { Stage } from './stage.ts';

interface Saved {
  readonly n: number;
  readonly hash: Digest;
  readonly signed: SignedText;
}

/**
 * A person at a device that stands at the authority's own door: it signs, saves, and sends again until it holds a
 * receipt. What it sees is as old as its last look.
 */
export class DoorPerson implements Person {
  readonly id: DeviceId;
  readonly outbox: Saved[] = [];
  /** Answered already; a sender that is not sure sends again. */
  readonly #answered: Saved[] = [];
  readonly #stage: Stage;
  readonly #member: () => Member;
  #last: { readonly n: number; readonly hash: Digest | null } = { n: 0, hash: null };
  #seen: Decision['seen'] = null;
  #view: readonly SeenAction[] = [];

  constructor(stage: Stage, id: DeviceId) {
    this.id = id;
    this.#stage = stage;
    this.#member = () => memberOf(stage.household, id);
  }

  get right(): Person['right'] {
    return this.#member().right;
  }

  sees(): readonly SeenAction[] {
    return this.#view;
  }

  /** Looks at what is published now. */
  look(authority: Authority | undefined): void {
    this.#view = [...this.#stage.chronicle.actions.values()].slice(-60).map((known) => seenAction(known));
    if (authority === undefined) return;
    const { crypto, home, workspace, signer } = this.#stage.household;
    const beat = openHeartbeat(crypto.verify, signer.publicKey, { home, workspace }, authority.heartbeat());
    if (beat.ok) this.#seen = seenOf(beat.value);
  }

  decide(wish: SimWish): Promise<string> {
    const signed = this.sign(wish);
    if (typeof signed === 'string') return Promise.resolve(signed);
    this.outbox.push(signed);
    return Promise.resolve(`${this.#member().nickname} ${wish.kind} ${wish.ids.length} as ${signed.n}`);
  }

  /** Approves a list that counts whole or not at all, in several decisions that can arrive apart. */
  approveList(ids: readonly ActionId[], partsMax: number): string {
    const of = Math.min(partsMax, ids.length);
    const id = `list ${this.#last.n + 1}`;
    const shares = Array.from({ length: of }, (_, index) => ids.filter((_id, at) => at % of === index));
    for (const [index, share] of shares.entries()) {
      const body = { mode: 'all-or-none' };
      const { items } = this.#named(share);
      const signed = this.#sign({ kind: 'approve', items, holdsLifted: [], body, batch: { id, index, of } });
      if (typeof signed === 'string') return signed;
      this.outbox.push(signed);
    }
    return `${this.#member().nickname} approves ${ids.length} in ${of} decisions`;
  }

  /** Something about the workspace as a whole: a rule, a mode, a pause. */
  set(kind: BodyKind, body: JsonObject): string {
    const signed = this.#sign({ kind, items: [], holdsLifted: [], body });
    if (typeof signed === 'string') return signed;
    this.outbox.push(signed);
    return `${this.#member().nickname} ${kind} as ${signed.n}`;
  }

  sign(wish: SimWish): Saved | string {
    const { kind, body, note } = wish;
    const { items, seen } = this.#named(wish.ids);
    return this.#sign({
      kind,
      items,
      holdsLifted: kind === 'release' ? [...new Set(seen.flatMap(({ holds }) => holds))] : [],
      ...(body === undefined ? {} : { body }),
      ...(note === undefined ? {} : { note }),
    });
  }

  /** These actions as this person sees them. */
  #named(ids: readonly ActionId[]): { readonly items: Decision['items']; readonly seen: readonly SeenAction[] } {
    const seen = ids.flatMap((id) => this.#view.find((one) => one.id === id) ?? []);
    const items = seen.map(({ id, digest, attention }) => ({
      id,
      digest,
      ...(attention === null ? {} : { attention }),
    }));
    return { items, seen };
  }

  #sign(said: Pick<Decision, 'kind' | 'items' | 'holdsLifted' | 'body' | 'note' | 'batch'>): Saved | string {
    const { home, workspace, crypto } = this.#stage.household;
    const decision: Decision = {
      v: 1,
      home,
      workspace,
      device: this.id,
      n: this.#last.n + 1,
      prev: this.#last.hash,
      seen: this.#seen,
      ...said,
    };
    try {
      const signed = signDecision(this.#member().signer, decision);
      const hash = decisionHash(crypto.sha256, signed.payload);
      this.#last = { n: decision.n, hash };
      return { n: decision.n, hash, signed };
    } catch (error) {
      // A wish that no decision can be made of, such as a body its kind has not got.
      if (CountersignError.is(error)) return `no decision: ${error.code}`;
      throw error;
    }
  }

  /** Sends some of what is saved, and now and then what was answered already. */
  deliver(authority: Authority, dice: Dice): string {
    const from = dice.chance(90) ? 0 : dice.pick(this.outbox.length);
    const some = this.outbox.slice(from, from + 1 + dice.pick(3));
    const again = this.#answered.length > 0 && dice.chance(10) ? [dice.of(this.#answered)] : [];
    void this.send(authority, [...some, ...again]);
    return `${this.#member().nickname} sends ${some.map(({ n }) => n).join(' ')}${again.length > 0 ? ' and one again' : ''}`;
  }

  /** Everything, as at a start: what was saved meanwhile still comes in time. */
  async send(authority: Authority, sent: readonly Saved[] = [...this.outbox]): Promise<void> {
    if (sent.length === 0) return;
    try {
      const { receipts } = await authority.decide(sent.map(({ signed }) => signed));
      for (const [at, saved] of sent.entries()) this.#take(saved, receipts[at]);
    } catch (error) {
      // It stays saved, and is sent again.
      if (!CountersignError.is(error)) throw error;
      this.#stage.occurred(`decide: ${error.code}`);
    }
  }

  #take(saved: Saved, signed: SignedText | undefined): void {
    const { household, judge, occurred, fail } = this.#stage;
    const { crypto, home, workspace, signer } = household;
    const opened = signed && openReceipt(crypto.verify, signer.publicKey, { home, workspace }, signed);
    if (opened?.ok !== true || opened.value.decision !== saved.hash) {
      fail('receipt', `decision ${saved.n} of ${this.id} was answered with something else`);
      return;
    }
    judge.receipt({ hash: saved.hash, refused: opened.value.refused });
    if (opened.value.refused !== null) occurred('receipt: refused');
    const at = this.outbox.indexOf(saved);
    if (at === -1) return;
    this.outbox.splice(at, 1);
    this.#answered.push(saved);
    if (this.#answered.length > 5) this.#answered.shift();
  }
}

export function memberOf(household: Household, id: DeviceId): Member {
  const member = household.members.find((one) => one.id === id);
  if (member === undefined) throw new Error(`${id} is no member`);
  return member;
}

function seenAction({ action, taken }: Known): SeenAction {
  const lifted = new Set(taken.flatMap(({ decision }) => decision.holdsLifted));
  return {
    id: action.id,
    state: action.state,
    digest: action.digest,
    attention: action.newestAttention?.entry ?? null,
    effectClass: action.content.effectClass,
    reversible: action.content.reversible,
    attempts: action.attempts,
    revertAttempts: action.revertAttempts,
    mayHappenTwice: mayHappenTwice(action),
    holds: taken.filter(({ decision, hash }) => decision.kind === 'hold' && !lifted.has(hash)).map(({ hash }) => hash),
  };
}

/** Is it in the world? What a person finds who looks: at the effect, or at the revert that is in doubt. */
export function hasHappened(chronicle: Chronicle, world: Stage['world'], id: ActionId): boolean {
  const known = chronicle.actions.get(id);
  const revert = known?.action.state === 'revert-in-doubt' ? known.reverts.at(-1) : undefined;
  if (revert !== undefined) return world.effect(revert.key).reverts > 0;
  const effect = known?.attempts.at(-1);
  return effect !== undefined && world.effect(effect.key).count > 0;
}
