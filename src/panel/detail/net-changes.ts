import type { PathChange, PathVersion } from '../../model/file-changes.ts';

/** One path from before the first step to after the last. */
export interface NetChange extends PathChange {
  /** A step did not begin where the one before it ended: the difference holds more than these steps. */
  readonly broken: boolean;
}

/** Several steps as one change a path: five edits of a file are one difference. Paths keep the order of their first step. */
export function netChanges(steps: readonly (readonly PathChange[])[]): readonly NetChange[] {
  const net = new Map<string, NetChange>();
  for (const change of steps.flat()) {
    const earlier = net.get(change.from ?? change.path);
    if (change.from !== null) net.delete(change.from);
    net.set(change.path, earlier === undefined ? { ...change, broken: false } : followed(earlier, change));
  }
  return [...net.values()].filter(({ after, before }) => before !== null || after !== null);
}

function followed(first: NetChange, then: PathChange): NetChange {
  const moved = then.from !== null;
  return {
    path: then.path,
    from: first.from ?? then.from,
    before: first.before,
    // A move copies no bytes: the file is what the step before made of it.
    after: moved && then.after?.type === 'file' ? first.after : then.after,
    broken: first.broken || (!moved && !same(first.after, then.before)),
  };
}

function same(a: PathVersion | null, b: PathVersion | null): boolean {
  if (a === null || b === null) return a === b;
  if (a.type === 'dir' || b.type === 'dir') return a.type === b.type;
  return a.content === null || b.content === null || a.content.$blob === b.content.$blob;
}
