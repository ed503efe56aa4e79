import type { ActionContent } from '../model/content.ts';
import type { Described, Surface } from './ports.ts';

/**
 * The class its author gives an effect, as far as the surface has what that class stands on (semantics §5); else the
 * most careful one that it can keep (EF-1).
 */
export function effectClassOf(
  surface: Pick<Surface, 'probe' | 'applyInTransaction'>,
  described: Pick<Described, 'effectClass' | 'keyWindowMs'>,
): Pick<ActionContent, 'effectClass' | 'keyWindowMs'> {
  const { keyWindowMs } = described;
  const asked = surface.probe === undefined ? 'E4' : 'E3';
  switch (described.effectClass) {
    case 'E0':
      return { effectClass: surface.applyInTransaction === undefined ? 'E4' : 'E0' };
    case 'E1':
      return { effectClass: surface.probe === undefined ? 'E4' : 'E1' };
    case 'E2':
      return keyWindowMs === undefined || keyWindowMs <= 0
        ? { effectClass: asked }
        : { effectClass: 'E2', keyWindowMs };
    case 'E3':
      return { effectClass: asked };
    case 'E4':
      return { effectClass: 'E4' };
  }
}

export function canRevert(surface: Pick<Surface, 'revert' | 'revertInTransaction'>): boolean {
  return surface.revert !== undefined || surface.revertInTransaction !== undefined;
}

/** Trying it again after a person's *did-not* could make it happen twice, if that person is wrong (EF-6). */
export function isBlind({ effectClass }: Pick<ActionContent, 'effectClass'>): boolean {
  // A key is remembered for a while, and nobody knows when the retry comes: E2 counts as what it is afterwards.
  return effectClass === 'E2' || effectClass === 'E3' || effectClass === 'E4';
}
