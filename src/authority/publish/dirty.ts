import type { ActionId, DeviceId, SessionId } from '../../model/ids.ts';

/** What of the present may not be as it was published: everything in it is looked at once more. */
export class Dirty {
  readonly actions = new Set<ActionId>();
  readonly sessions = new Set<SessionId>();
  readonly devices = new Set<DeviceId>();
  /** By the id of their record. */
  readonly receipts = new Set<string>();
  /** What people have set, and what they can set rules for: by the id of the record. */
  readonly standing = new Set<string>();
  workspace = false;
  get empty(): boolean {
    const { actions, devices, receipts, sessions, standing, workspace } = this;
    return !workspace && actions.size + devices.size + receipts.size + sessions.size + standing.size === 0;
  }

  clear(): void {
    for (const set of [this.actions, this.sessions, this.devices, this.receipts, this.standing]) set.clear();
    this.workspace = false;
  }
}

/** Takes members out of a set, the ones that wait longest first. */
export function take<T>(from: Set<T>, most: number): readonly T[] {
  const taken: T[] = [];
  for (const member of from) {
    if (taken.length >= most) break;
    from.delete(member);
    taken.push(member);
  }
  return taken;
}
