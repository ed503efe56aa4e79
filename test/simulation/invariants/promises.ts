import { isLive } from '../../../src/model/action.ts';
import type { DecisionKind } from '../../../src/model/decision.ts';
import type { ActionState } from '../../../src/model/action.ts';
import { isIntent, knownOf, nameOf, type Invariant } from './invariant.ts';
import { needed } from './order.ts';

/** 25 (DR-6): whoever applies has looked. */
export const lookedFirst: Invariant = {
  n: 25,
  says: 'An effect begins only while the world is what its action was made for',
  onRow: (scene, event) => {
    const known = isIntent(event) ? knownOf(scene, event) : undefined;
    const { name, before } = known?.action.content.effect ?? {};
    if (known === undefined || before === undefined || !isIntent(event)) return undefined;
    // Of several that are one effect the first is held against the world.
    if (event.intent.together !== undefined && event.intent.together.ids[0] !== event.action) return undefined;
    const now = scene.notesAt(event.seq).get(String(name)) ?? null;
    return now === before ? undefined : `${nameOf(known.action)} began although ${String(name)} is not as it was`;
  },
};

const DAY_MS = 24 * 3_600_000;
const EXPIRING: ReadonlySet<DecisionKind> = new Set<DecisionKind>(['approve', 'edit', 'revert', 'retry', 'anyway']);

/** 26 (DC-5): what lets something happen was decided on something that was seen lately. */
export const seenLately: Invariant = {
  n: 26,
  says: 'Nothing begins on a decision from long ago',
  onRow: ({ chronicle }, event) => {
    if (event.kind !== 'decision-taken') return undefined;
    const { kind, seen } = chronicle.parse(event);
    if (!EXPIRING.has(kind) || event.results.every(({ result }) => result !== 'received')) return undefined;
    if (seen === null) return `row ${event.seq} took a ${kind} of a device that had seen nothing`;
    return event.atMs - seen.atMs > DAY_MS ? `row ${event.seq} took a ${kind} on what was seen long before` : undefined;
  },
};

/** 27 (SM-6): what is written over is needed. */
export const overwriteNeeds: Invariant = {
  n: 27,
  says: 'What writes over something that is not applied needs it',
  onRow: ({ chronicle }, event) => {
    if (event.kind !== 'proposed') return undefined;
    const { content, lineage, needs, place, seq } = event.record;
    for (const resource of content.writes) {
      const makers = [...chronicle.actions.values()].filter(
        ({ action }) =>
          isLive(action) &&
          // A person's own version stands where what it replaces stood.
          action.place < place &&
          action.lineage.root === lineage.root &&
          action.overlay.some((write) => write.resource === resource),
      );
      const [newest] = makers.toSorted((a, b) => b.action.place - a.action.place);
      if (newest !== undefined && !needs.includes(newest.action.id))
        return `#${seq} writes over ${nameOf(newest.action)}, and does not need it`;
    }
    return undefined;
  },
};

/** 27, too: what is written out of something is what was read there. */
export const copyNeeds: Invariant = {
  n: 27,
  says: 'What is written out of something that is not applied needs it',
  onRow: ({ chronicle, world }, event) => {
    if (event.kind !== 'proposed') return undefined;
    const { content, lineage, needs, seq } = event.record;
    const from = content.arguments['from'];
    if (content.tool !== 'copy' || typeof from !== 'string') return undefined;
    const copied = String(content.effect['text']).slice(0, -1);
    const makers = [...chronicle.actions.values()].filter(
      ({ action }) =>
        isLive(action) &&
        action.lineage.root === lineage.root &&
        action.content.effect['name'] === from &&
        action.content.effect['text'] === copied,
    );
    const [maker] = makers;
    if (maker === undefined || world.notes.get(from) === copied) return undefined;
    return makers.some(({ action }) => needs.includes(action.id))
      ? undefined
      : `#${seq} is written out of ${nameOf(maker.action)}, and does not need it`;
  },
};

/** 28 (SM-6, CA-1): only what needs it falls with it. */
export const onlyNeedsFall: Invariant = {
  n: 28,
  says: 'Only what needs a withdrawn action falls with it',
  onRow: (scene, event) => {
    if (event.kind !== 'rejected' || event.because !== 'cascade' || event.felledBy === null) return undefined;
    return needed(scene, event.action).has(event.felledBy)
      ? undefined
      : `#${event.n} fell with ${event.felledBy}, which it does not need`;
  },
};

/** 29 (DR-9): a hold parks all that needs what is held. */
export const holdParksGroup: Invariant = {
  n: 29,
  says: 'What needs an action on hold is parked with it',
  onAction: ({ chronicle }, { action }) => {
    const loose = (state: ActionState | undefined): boolean => state === 'pending' || state === 'approved';
    if (loose(action.state)) {
      const held = action.needs.find((id) => chronicle.open(id)?.state === 'held');
      return held && `${nameOf(action)} needs ${held}, which is on hold`;
    }
    if (action.state !== 'held') return undefined;
    const left = (chronicle.dependants.get(action.id) ?? [])
      .map((id) => chronicle.open(id))
      .find((one) => one !== undefined && loose(one.state) && one.needs.includes(action.id));
    return left && `${nameOf(left)} needs ${nameOf(action)} and is not parked with it`;
  },
};

/** 30 (SM-8): what was told is struck off in the same transaction. */
export const toldOnce: Invariant = {
  n: 30,
  says: 'An agent is told once',
  onRow: ({ disk }, event) => {
    if (event.kind !== 'notices-told') return undefined;
    const again = [...disk.table('notice').values()].find(
      ({ key, order }) => key.startsWith(`${event.session}/`) && order <= event.through,
    );
    return again && `notice ${again.key} was told, and is kept to be told again`;
  },
};

const STANDS: ReadonlySet<ActionState> = new Set<ActionState>(['applying', 'in-doubt', 'applied', 'reverting']);

/** 31 (CA-4): nothing is taken back from under what stands on it. */
export const revertFromTheTop: Invariant = {
  n: 31,
  says: 'Nothing is taken back while something applied needs it',
  onRow: (scene, event) => {
    const known = event.kind === 'revert-begun' ? knownOf(scene, event) : undefined;
    if (known === undefined) return undefined;
    const { action } = known;
    const above = (scene.chronicle.dependants.get(action.id) ?? [])
      .map((id) => scene.chronicle.open(id))
      .find((one) => one !== undefined && STANDS.has(one.state) && one.needs.includes(action.id));
    return above && `${nameOf(action)} is taken back from under ${nameOf(above)}`;
  },
};

/** 32 (DR-11): a list that counts whole or not at all was received whole, and looked over. */
export const listsCountWhole: Invariant = {
  n: 32,
  says: 'Of a list that counts whole or not at all nothing begins before all of it was looked over',
  onRow: (scene, event) => {
    const known = isIntent(event) ? knownOf(scene, event) : undefined;
    if (known?.action.state !== 'approved' || known.action.by.type !== 'decision') return undefined;
    const { device, n } = known.action.by;
    const taken = known.taken.find(({ decision }) => decision.device === device && decision.n === n);
    const { batch, body, items = [] } = taken?.decision ?? {};
    if (body?.['mode'] !== 'all-or-none' || (batch === undefined && items.length < 2)) return undefined;
    const parts = [...scene.chronicle.decisions.values()].filter(
      ({ decision }) =>
        decision.device === device && (batch === undefined ? decision.n === n : decision.batch?.id === batch.id),
    );
    const came = new Set(parts.map(({ decision }) => decision.batch?.index ?? 0)).size;
    if (came < (batch?.of ?? 1)) return `${nameOf(known.action)} began before its whole list had come`;
    if (parts.some(({ results }) => results.some(({ result }) => result !== 'received')))
      return `${nameOf(known.action)} began by a list that was not received whole`;
    const kept = `bulk/${device}/${batch === undefined ? `n${n}` : `b${batch.id}`}/`;
    return [...scene.disk.table('meta').keys()].some((key) => key.startsWith(kept))
      ? `${nameOf(known.action)} began before its list was looked over`
      : undefined;
  },
};

/** 33 (EF-3): an approval ends with its fence, and every attempt of an action carries one key. */
export const fenceAndKey: Invariant = {
  n: 33,
  says: 'No approval outlives its fence, and every attempt of an action carries one key',
  onRow: (scene, event) => {
    const known = isIntent(event) ? knownOf(scene, event) : undefined;
    if (!isIntent(event) || known?.action.state !== 'approved') return undefined;
    const key = known.attempts[0]?.intent.idempotencyKey ?? event.intent.idempotencyKey;
    if (key !== event.intent.idempotencyKey) return `${nameOf(known.action)} began again under another key`;
    const { by } = known.action;
    const said =
      by.type === 'rule'
        ? undefined
        : known.taken.find(({ decision }) => decision.device === by.device && decision.n === by.n);
    return (said?.seq ?? known.approvedSeq) < scene.chronicle.fenceSeq
      ? `${nameOf(known.action)} began on an approval from before row ${scene.chronicle.fenceSeq} raised the fence`
      : undefined;
  },
};
