import type { Journal } from '../../src/authority/ports.ts';
import { overJournal } from './over-journal.ts';

/** One life of a process over a journal that outlives it: from its end on, nothing that it asks for is ever stored. */
export interface Life {
  readonly journal: Journal;
  readonly ended: boolean;
  end(): void;
}

/** `commitsMax`: its end comes by itself, in place of the commit after so many. */
export function lifeOver(inner: Journal, commitsMax = Infinity): Life {
  let ended = false;
  let commits = 0;
  const journal = overJournal(inner, async (batch, store) => {
    if (commits++ >= commitsMax) ended = true;
    if (ended) await new Promise(() => undefined);
    await store(batch);
  });
  return {
    journal,
    get ended() {
      return ended;
    },
    end: () => void (ended = true),
  };
}
