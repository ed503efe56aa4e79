import { InvariantError } from '../base/assert.ts';
import { messageOf } from '../base/errors.ts';
import type { Action } from '../model/action.ts';
import type { ActionId } from '../model/ids.ts';
import type { Approved } from './begin.ts';
import { toolDigest } from './content.ts';
import type { Core } from './core.ts';
import type { Look, Surface } from './ports.ts';
import { raiseAttention, refresh } from './refresh.ts';
import { TOOL_CHANGED } from './tool-change.ts';
import { resolve } from './resolve.ts';
import { withinTime } from './within.ts';

/**
 * DR-6: tool and preconditions once more, just before the intent. `undefined` when the world or the ruling has moved
 * meanwhile; what comes of that is committed then.
 */
export async function lookOver(core: Core, id: ActionId): Promise<Approved | undefined> {
  const action = core.state.open(id);
  if (action?.state !== 'approved') return undefined;
  const surface = core.surfaceOf(action);
  if (surface === undefined || toolDigest(surface, (bytes) => core.store.hash(bytes)) !== action.content.toolDigest) {
    raiseAttention(core, action, 'tool-changed', TOOL_CHANGED);
    await core.commit();
    return undefined;
  }
  const look = await lookAt(core, surface, action);
  const now = core.state.open(id);
  if (now?.state !== 'approved' || now.digest !== action.digest) return undefined;
  if (look.type === 'ready') return now;
  // Where everything moved at once a person is asked once, and nothing is made anew one by one (GM-4).
  core.ground.look();
  await core.ground.scan();
  if (core.ground.movedUnder(now.lane) !== undefined || core.state.open(id) !== now) return undefined;
  await refresh(core, now, 'merge', look.why);
  const anew = core.state.open(id);
  if (anew?.state === 'approved' && anew.digest === now.digest) {
    // Moved, and yet the same again: nothing is gained by looking for ever, so a person looks.
    raiseAttention(core, anew, 'conflict', look.why);
    await core.commit();
  }
  return undefined;
}

/** A look that fails says nothing good of the world: it counts as moved, and a person sees why. */
export async function lookAt(core: Core, surface: Surface, action: Action): Promise<Look> {
  const resolved = resolve(core, action);
  if (!resolved.ok) return { type: 'moved', why: resolved.error };
  const content = resolved.value?.content ?? action.content;
  try {
    if (surface.look === undefined) return { type: 'ready' };
    const looking = surface.look.bind(surface, { content, blob: (hash) => core.store.blob(hash) });
    return await withinTime(core, looking);
  } catch (error) {
    if (error instanceof InvariantError) throw error;
    return { type: 'moved', why: messageOf(error) };
  }
}
