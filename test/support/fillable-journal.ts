import { CountersignError } from '../../src/base/errors.ts';
import type { Journal } from '../../src/authority/ports.ts';
import { memoryJournal } from '../../src/testing/index.ts';
import { overJournal } from './over-journal.ts';

/** A journal on a disk that can be full: what is not urgent is refused, and nothing of it is stored. */
export interface Fillable {
  readonly journal: Journal;
  full: 'no' | 'reserve' | 'all';
}

export function fillable(): Fillable {
  const disk: Fillable = {
    full: 'no',
    journal: overJournal(memoryJournal(), (batch, store) => {
      const refused = disk.full === 'all' || (disk.full === 'reserve' && batch.urgent !== true);
      return refused ? Promise.reject(new CountersignError('full', 'The disk is full.')) : store(batch);
    }),
  };
  return disk;
}
