import type { Action, Intent } from '../../../src/model/action.ts';
import type { JournalEvent, JournalRow } from '../../../src/model/event.ts';
import type { ActionId, DeviceId, Digest } from '../../../src/model/ids.ts';
import type { Right } from '../../../src/model/decision.ts';
import type { Household } from '../contract.ts';
import type { ActionRowEvent, Attempt, Chronicle, Known } from '../chronicle.ts';
import type { SimDisk } from '../disk.ts';
import type { Call, World } from '../world.ts';

/** A receipt that somebody was given. */
export interface Received {
  readonly hash: Digest;
  readonly refused: string | null;
}

/** What an agent's read answered, and when it was asked. */
export interface Read {
  readonly text: string;
  /** Rows that were in the journal when the agent asked. */
  readonly askedSeq: number;
}

/** All that invariants look at. */
export interface Scene {
  readonly chronicle: Chronicle;
  readonly world: Pick<World, 'effect' | 'hasLanded' | 'isGone' | 'isOverwritten' | 'mayLand' | 'notes'>;
  readonly disk: Pick<SimDisk, 'rows' | 'heads' | 'table'>;
  readonly household: Household;
  /** Decisions that must count for nothing. */
  readonly isForged: (hash: Digest) => boolean;
  /** Who was revoked when this row was staged. */
  readonly revokedAt: (seq: number) => ReadonlySet<DeviceId>;
  readonly rightAt: (seq: number, device: DeviceId) => Right;
  /** Effects that were begun, as `verb key attempt`. */
  readonly begun: ReadonlySet<string>;
  /** A person's word about an attempt was wrong when it was given: from then on the world may differ from the record. */
  readonly misled: ReadonlySet<ActionId>;
  readonly receipts: readonly Received[];
  /** True time at which a row was staged, and at which the process that runs now began. */
  readonly askedAtMs: (seq: number) => number;
  /** The notes as they were when the row of an intent, or of a revert, was staged. */
  readonly notesAt: (seq: number) => ReadonlyMap<string, string>;
  /** The branch they were of. */
  readonly branchAt: (seq: number) => string;
  readonly lifeAtMs: number;
  /** Homes that run on this workspace now. */
  readonly running: number;
}

/** One promise of semantics §9. Each hook answers what is wrong, or nothing. */
export interface Invariant {
  readonly n: number;
  readonly says: string;
  /** A row is in the database; the fold has not taken it. */
  readonly onRow?: (scene: Scene, event: JournalEvent, row: JournalRow) => string | undefined;
  /** A surface was asked to begin an effect or a revert. */
  readonly onCall?: (scene: Scene, call: Call) => string | undefined;
  readonly onReceipt?: (scene: Scene, receipt: Received) => string | undefined;
  readonly onRead?: (scene: Scene, read: Read) => string | undefined;
  /** What was said to an agent, as text. */
  readonly onAnswer?: (scene: Scene, text: string) => string | undefined;
  /** After every step for the actions it touched, and in full every thousand. */
  readonly onAction?: (scene: Scene, known: Known) => string | undefined;
  readonly whole?: (scene: Scene) => string | undefined;
}

export function knownOf(scene: Scene, event: JournalEvent): Known | undefined {
  return 'action' in event ? scene.chronicle.actions.get(event.action) : undefined;
}

export function isIntent(event: JournalEvent): event is Extract<ActionRowEvent, { kind: 'intent-recorded' }> {
  return event.kind === 'intent-recorded';
}

/** The action and attempt a call belongs to. */
export function attemptOf(scene: Scene, call: Call): { readonly known: Known; readonly attempt: Attempt } | undefined {
  for (const known of scene.chronicle.actions.values()) {
    const attempts = call.verb === 'apply' ? known.attempts : known.reverts;
    // An attempt that was void does not count: the next one has its number.
    const attempt = attempts.findLast((one) => one.key === call.key && one.n === call.attempt);
    if (attempt !== undefined) return { known, attempt };
  }
  return undefined;
}

export function nameOf(action: Action): string {
  return `#${action.seq} (${action.content.kind.tag}, ${action.state})`;
}

/** How often the world has its effect: under its own key, and under the one it was tried together with others last. */
export function effectsOf(scene: Scene, { attempts }: Known): number {
  const last = attempts.at(-1);
  const own = attempts.find(({ intent }) => intent.together === undefined);
  // The key of a shared effect is also that of the first action by itself.
  const shared = last?.intent.together !== undefined && scene.world.hasLanded(last.key, last.n);
  return (own === undefined ? 0 : scene.world.effect(own.key).count) + (shared ? 1 : 0);
}

/** Did somebody outside write over what it did? The world shows none of it then, and no look can tell (EF-2, E1). */
export function isOverwritten(scene: Scene, { attempts }: Known): boolean {
  return attempts.some(({ key }) => scene.world.isOverwritten(key));
}

/** Are these two of one effect (DR-11)? */
export function isTogether(intent: Intent, earlier: Action): boolean {
  return (
    intent.together !== undefined &&
    earlier.state === 'applying' &&
    earlier.intent.together?.content === intent.together.content &&
    intent.together.ids.includes(earlier.id)
  );
}

/** A surface or a person said what was not so, or late evidence said otherwise: the record cannot know better. */
export function isExcused(scene: Scene, known: Known): boolean {
  const lied = known.attempts.some(({ key }) => scene.world.effect(key).lied);
  return lied || known.contradicted || scene.misled.has(known.action.id);
}
