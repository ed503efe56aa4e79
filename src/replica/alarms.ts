import type { WorkspaceId } from '../model/ids.ts';
import type { Alarm } from './types.ts';

/** What a person must know, one of a kind and place. An alarm stands until what raised it takes it back. */
export class Alarms {
  readonly #changed: () => void;
  #standing: ReadonlyMap<string, Alarm> = new Map();
  /** Those of which nothing follows for what others decide. */
  readonly #remarks = new WeakSet<Alarm>();
  #list: readonly Alarm[] = [];

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  list(): readonly Alarm[] {
    return this.#list;
  }

  /** `stops`: nothing of its workspace may be moved forward while it stands. */
  raise(alarm: Alarm, { stops = alarm.kind !== 'too-new' }: { readonly stops?: boolean } = {}): void {
    const key = keyOf(alarm);
    // The first sentence stands: it names what was seen first.
    if (this.#standing.has(key)) return;
    if (!stops) this.#remarks.add(alarm);
    this.#set(new Map([...this.#standing, [key, alarm]]));
  }

  /** `sentence`: which of several devices is meant. */
  clear(kind: Alarm['kind'], workspace: WorkspaceId | null, sentence = ''): void {
    const key = keyOf({ kind, workspace, sentence });
    if (!this.#standing.has(key)) return;
    this.#set(new Map([...this.#standing].filter(([other]) => other !== key)));
  }

  /** Why nothing in this workspace may be moved forward; `null` while nothing speaks against it. */
  distrusted(workspace: WorkspaceId): string | null {
    const found = this.#list.find(
      (alarm) => !this.#remarks.has(alarm) && (alarm.workspace === null || alarm.workspace === workspace),
    );
    return found?.sentence ?? null;
  }

  #set(standing: ReadonlyMap<string, Alarm>): void {
    this.#standing = standing;
    this.#list = [...standing.values()];
    this.#changed();
  }
}

function keyOf({ kind, sentence, workspace }: Alarm): string {
  return `${kind} ${workspace ?? '-'}${kind === 'frozen' ? ` ${sentence}` : ''}`;
}
