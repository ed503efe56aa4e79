import { setImmediate as afterIo } from 'node:timers/promises';
import { CountersignError } from '../../base/errors.ts';
import { FILE_LIMITS } from './limits.ts';
import { join, type RelativePath } from './resource.ts';
import { enter, listOf, type Located, type Named, type World } from './world.ts';

/** One name met on a walk. `parent` is the folder it was met in. */
export interface Met {
  readonly path: RelativePath;
  readonly name: string;
  readonly folder: boolean;
  readonly parent: Located;
}

/** Bounds a walk, and says afterwards whether it was cut short. */
export interface WalkBudget {
  entries: number;
  cut: boolean;
}

export function walkBudget(): WalkBudget {
  return { entries: FILE_LIMITS.walkEntriesMax, cut: false };
}

/** Entries between two turns of the event loop: some 5 ms of work. */
const TURN_ENTRIES = 500;

/**
 * Everything below a folder, folders before their contents, each folder's names sorted. Links are not entered;
 * `skip` leaves out an entry with all that is in it.
 */
export async function* walk(
  world: World,
  from: Located,
  budget: WalkBudget,
  skip: (met: Met) => boolean,
  names: readonly Named[] = listOf(world, from),
): AsyncGenerator<Met> {
  for (const { name, folder } of names) {
    if (budget.entries-- <= 0) {
      budget.cut = true;
      return;
    }
    if (budget.entries % TURN_ENTRIES === 0) await afterIo();
    const met = { path: join(from.path, name), name, folder, parent: from };
    if (skip(met)) continue;
    yield met;
    const inside = folder ? entered(world, met) : undefined;
    if (inside !== undefined) yield* walk(world, inside, budget, skip, unlessDenied(() => listOf(world, inside)) ?? []);
  }
}

/** What was met, looked at; `undefined` when it may not be read. */
export function entered(world: World, met: Met): Located | undefined {
  return unlessDenied(() => enter(world, met.parent, met.name));
}

function unlessDenied<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    // A denied folder under another name, or one without permission: a search goes on without it.
    if (CountersignError.is(error) && error.code === 'denied') return undefined;
    throw error;
  }
}
