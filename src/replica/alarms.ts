import type { WorkspaceId } from '../model/ids.ts';
import type { Alarm } from './types.ts';

/** What a person must know, one of a kind and place. An alarm stands until what raised it takes it back. */
export class Alarms {
  readonly #changed: () => void;
  #standing: ReadonlyMap<string, Alarm> = new Map();
  #list: readonly Alarm[] = [];

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  list(): readonly Alarm[] {
    return this.#list;
  }

  raise(alarm: Alarm): void {
    const key = keyOf(alarm);
    // The first sentence stands: it names what was seen first.
    if (this.#standing.has(key)) return;
    this.#set(new Map([...this.#standing, [key, alarm]]));
  }

  clear(kind: Alarm['kind'], workspace: WorkspaceId | null): void {
    const key = keyOf({ kind, workspace });
    if (!this.#standing.has(key)) return;
    this.#set(new Map([...this.#standing].filter(([other]) => other !== key)));
  }

  /** Why nothing in this workspace may be moved forward; `null` while nothing speaks against it. */
  distrusted(workspace: WorkspaceId): string | null {
    const found = this.#list.find(
      (alarm) => alarm.kind !== 'too-new' && (alarm.workspace === null || alarm.workspace === workspace),
    );
    return found?.sentence ?? null;
  }

  #set(standing: ReadonlyMap<string, Alarm>): void {
    this.#standing = standing;
    this.#list = [...standing.values()];
    this.#changed();
  }
}

function keyOf({ kind, workspace }: Pick<Alarm, 'kind' | 'workspace'>): string {
  return `${kind} ${workspace ?? '-'}`;
}
