import type { Action } from '../../src/model/action.ts';
import type { ActionId } from '../../src/model/ids.ts';
import type { Dice } from './contract.ts';
import type { SimJournal } from './journal.ts';
import { isLate, type Request } from './requests.ts';
import type { Stage } from './stage.ts';

// What has to meet for rare things to happen, and how a seed that is about them helps it.

/** What the world can do now; what is late has a move of its own where it comes seldom. */
export function prompt({ rates, world }: Stage): readonly Request[] {
  const ready = world.requests.enabled();
  return rates.lateness === 0 ? ready : ready.filter((one) => !isLate(one));
}

export function late({ rates, world }: Stage): readonly Request[] {
  return rates.lateness === 0 ? [] : world.requests.enabled().filter(isLate);
}

/** What comes late of an attempt that another has followed, while its action is where this seed wants it. */
export function overtaken(stage: Stage): readonly Request[] {
  const { chronicle, rates } = stage;
  const ready = rates.overtaken === null ? [] : late(stage);
  if (ready.length === 0) return [];
  const there = [...chronicle.actions.values()].filter(({ action }) => action.state === rates.overtaken);
  return ready.filter(({ key, attempt = 0 }) =>
    there.some(
      ({ action, attempts }) =>
        attempt < action.attempts + (action.state === 'in-doubt' || action.state === 'failed' ? 0 : 1) &&
        attempts.some((one) => one.key === key),
    ),
  );
}

/** What an agent had read before it asked for what has no end yet, in another lane: people mostly leave it for later. */
export function spared({ chronicle, rates }: Stage, dice: Dice): ReadonlySet<ActionId> {
  if (!rates.undermines || dice.chance(25)) return new Set();
  const endless = [...chronicle.actions.values()].filter(({ action }) => isEndless(action));
  return new Set(endless.flatMap(({ action, saw }) => saw.filter((id) => chronicle.open(id)?.lane !== action.lane)));
}

/** What nobody has decided yet, and an agent had read before it asked for what has failed since. */
export function premises({ chronicle, rates }: Stage): readonly ActionId[] {
  if (!rates.undermines) return [];
  const unapplied = [...chronicle.actions.values()].filter(({ action }) => isUnapplied(action));
  return unapplied.flatMap(({ saw }) => saw.filter((id) => isUndecided(chronicle.open(id))));
}

/** How much likelier it dies now: with an effect on its way that can still arrive, or before its intent is witnessed. */
export function haste({ rates, world }: Stage, journal: SimJournal | undefined): number {
  if (!rates.diesMidway) return 1;
  const intends = rates.undermines && journal?.intends === true;
  return intends || world.requests.all.some(({ script }) => script.includes('land')) ? 10 : 1;
}

function isEndless({ state }: Action): boolean {
  return state === 'pending' || state === 'approved' || state === 'applying' || state === 'in-doubt';
}

function isUnapplied({ state }: Action): boolean {
  return state === 'failed' || state === 'not-applied';
}

function isUndecided(action: Action | undefined): boolean {
  return action?.state === 'pending' || action?.state === 'approved' || action?.state === 'held';
}
