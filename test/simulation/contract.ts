import type { PublishedDevice, RosterPort } from '../../src/authority/options.ts';
import type { Journal } from '../../src/authority/ports.ts';
import type { Inbox } from '../../src/authority/publish/inbox-intake.ts';
import type { Outlet, Published } from '../../src/authority/publish/outlet.ts';
import type { Clock } from '../../src/base/clock.ts';
import type { JsonObject } from '../../src/base/canonical-json.ts';
import type { Random } from '../../src/base/random.ts';
import type { Crypto, Signer } from '../../src/crypto/ports.ts';
import type { ContentSecret, KeyRing } from '../../src/doc/keys.ts';
import type { ActionState } from '../../src/model/action.ts';
import type { EffectClass } from '../../src/model/content.ts';
import type { ItemKind, Right } from '../../src/model/decision.ts';
import type { ActionId, DeviceId, Digest, HomeId, WorkspaceId } from '../../src/model/ids.ts';

/** Dice of one part of a simulation. Each part has its own, so that one more throw in one leaves the others as they were. */
export interface Dice {
  /** 0 … n − 1. */
  pick(n: number): number;
  /** True in `percent` of all throws. */
  chance(percent: number): boolean;
  of<T>(list: readonly T[]): T;
  /** Dice of a part of this part. */
  split(name: string): Dice;
  readonly random: Random;
}

/** The one time of a simulation. It moves when the scheduler picks a timer; nothing else moves it. */
export interface SimTime {
  /** What an owner's clock shows is the true time and its error; its timers do not depend on that error. */
  clock(owner: string): Clock;
  /** Milliseconds by which this owner's clock is wrong from now on. */
  setError(owner: string, errorMs: number): void;
  /** The owner died: its timers and tasks never run. */
  end(owner: string): void;
  nowMs(): number;
}

/** One device of the home. Its rights change in place; the household's `roster` and `devices` follow. */
export interface Member {
  readonly id: DeviceId;
  readonly nickname: string;
  readonly signer: Signer;
  /** 32 secret bytes of its box key. */
  readonly boxSecret: Uint8Array;
  readonly right: Right;
  readonly revoked: boolean;
}

/** What the home around one workspace knows, and what outlives every restart of its authority. */
export interface Household {
  readonly home: HomeId;
  readonly workspace: WorkspaceId;
  readonly signer: Signer;
  readonly crypto: Crypto;
  readonly members: readonly Member[];
  readonly secrets: readonly [ContentSecret, ...ContentSecret[]];
  keys(): KeyRing;
  readonly roster: RosterPort;
  devices(): readonly PublishedDevice[];
  published(): Published;
  setPublished(published: Published): void;
  /** A new roster number, and a new content key; the core tells the authority, and the net by `householdChanged`. */
  revoke(id: DeviceId): void;
  setRight(id: DeviceId, right: Right): void;
}

/** An action as a person sees it, who may be behind the truth. */
export interface SeenAction {
  readonly id: ActionId;
  readonly state: ActionState;
  readonly digest: Digest;
  readonly attention: number | null;
  readonly effectClass: EffectClass;
  readonly reversible: boolean;
  /** Effect attempts begun so far, and reverts. */
  readonly attempts: number;
  readonly revertAttempts: number;
  /** Nothing begins it but a retry that says so (EF-6). */
  readonly mayHappenTwice: boolean;
  /** Decisions that hold it, as far as this person knows. */
  readonly holds: readonly Digest[];
}

export interface SimWish {
  readonly kind: ItemKind;
  readonly ids: readonly ActionId[];
  readonly body?: JsonObject;
  readonly note?: string;
}

/** A person at one device. With a net it is a replica; without one the core plays it at the authority's door. */
export interface Person {
  readonly id: DeviceId;
  readonly right: Right;
  sees(): readonly SeenAction[];
  /** Signs and saves; never rejects. Answers a line for the trace. */
  decide(wish: SimWish): Promise<string>;
}

/** What the swarm switched on for one seed; whatever is off never happens in it. */
export interface NetRates {
  readonly devices: number;
  readonly faults: boolean;
  readonly hostileRelay: boolean;
  readonly hostileReplica: boolean;
  readonly clocks: boolean;
  /** Windows close, storage is evicted, devices stay away for long. */
  readonly lives: boolean;
}

export interface NetOptions {
  readonly dice: Dice;
  readonly time: SimTime;
  readonly household: Household;
  readonly rates: NetRates;
  /** What is durable: rows with their head records, and the tables; `undefined` while it lies there damaged. */
  readonly journal?: () => Pick<Journal, 'head' | 'rows' | 'recordsBefore'> | undefined;
  /** Counts for the table of what occurred: `network: partition`, `hostile relay: rollback` … */
  readonly occurred: (what: string) => void;
}

/** Everything between the authority and people: documents, relay, devices, and who means harm. */
export interface Net {
  /** Handed to every life of the authority; survives them all. */
  readonly outlet: Outlet;
  readonly people: readonly Person[];
  /** How many network and device moves are enabled now. Timers of devices are no moves: the core runs them. */
  moves(): number;
  /** Performs one, answers its line for the trace. */
  step(pick: (n: number) => number): string;
  /** Where inboxes are delivered, from the start of an authority on; `undefined` while none runs. */
  onDecisions(take: ((device: DeviceId, inbox: Inbox) => Promise<void>) | undefined): void;
  /** The head changed: published, roster or key. */
  householdChanged(): void;
  /** What only the authority can be told by the relay, such as a damaged room; `undefined` while none runs. */
  onDamaged(tell: ((room: string) => void) | undefined): void;
  /** The relay has lost its store: the authority puts everything again. No store is lost while nobody is told. */
  onForgotten(tell: (() => void) | undefined): void;
  heal(): void;
  /** Its own invariants; empty = fine. `final`: after healing, everything delivered. */
  check(options: { readonly final: boolean }): readonly string[];
  /** Signed decisions that no member made or that must count for nothing: the core checks that the journal has none (14). */
  readonly forged: ReadonlySet<Digest>;
  close(): void;
}

/** `test/simulation/net/index.ts` exports one as `makeNet`. */
export type MakeNet = (options: NetOptions) => Promise<Net>;
