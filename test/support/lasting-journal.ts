import type { Journal } from '../../src/authority/ports.ts';
import { memoryJournal } from '../../src/testing/index.ts';
import { overJournal } from './over-journal.ts';

/** A journal in memory that outlives its authority: closing it is like closing a file. */
export function lastingJournal(): Journal {
  return { ...overJournal(memoryJournal(), (batch, store) => store(batch)), close: async () => undefined };
}
