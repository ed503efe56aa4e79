import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Journal } from '../../../src/authority/ports.ts';
import { toHex } from '../../../src/base/bytes.ts';
import { CountersignError } from '../../../src/base/errors.ts';
import { nodeDatabase } from '../../../src/journal/sqlite/database.ts';
import { openSqliteJournal } from '../../../src/journal/sqlite/open.ts';
import { verifySqliteJournal } from '../../../src/journal/sqlite/verify.ts';
import type { Digest } from '../../../src/model/ids.ts';
import { stepAfter } from '../../contract/journal-rows.ts';
import type { Image } from '../../integration/journal-image.ts';
import { HISTORY_LIMITS } from '../../support/fuzz-history.ts';
import { compared, contentOf, type JournalContent } from './journal-content.ts';

/** How damage ended. `wrong` is what must never be: another history, a crash, an error that names nothing. */
export type Verdict =
  | { readonly type: 'equal' }
  | { readonly type: 'quarantined' | 'named' | 'wrong'; readonly why: string };

/** Files of an image by name, as damage left them; `null` is gone. */
export type Changes = ReadonlyMap<string, Uint8Array | null>;

/** One undamaged journal in a folder; each call damages it, looks, and puts it back. */
export class JournalBench {
  readonly dir: string;
  readonly #image: Image;
  readonly #reference: JournalContent;
  readonly #blobs: readonly Digest[];
  /** Rows that the last commit did not add: every one of them must still be witnessed. */
  readonly #witnessedMin: number;

  constructor(dir: string, image: Image) {
    this.dir = dir;
    this.#image = image;
    mkdirSync(dir, { recursive: true });
    this.#putBack([...image.keys()]);
    ({ blobs: this.#blobs, witnessed: this.#witnessedMin } = factsOf(dir));
    const journal = openSqliteJournal({ dir, readOnly: true }, { limits: HISTORY_LIMITS });
    if (journal.health.state === 'quarantined') throw new Error(`the reference is damaged: ${journal.health.why}`);
    this.#reference = contentOf(journal, this.#blobs);
    void journal.close();
    this.#putBack([]);
  }

  file(name: string): Uint8Array {
    return this.#image.get(name) ?? new Uint8Array();
  }

  /** Runs while the journal is damaged. */
  async damaged<T>(changes: Changes, run: () => T | Promise<T>): Promise<T> {
    try {
      for (const [name, bytes] of changes) this.#write(name, bytes);
      return await run();
    } finally {
      this.#putBack([...changes.keys()]);
    }
  }

  /** What somebody is told who opens it as it lies there now. */
  look(): Verdict {
    let journal: Journal | undefined;
    try {
      journal = openSqliteJournal({ dir: this.dir, readOnly: true }, { limits: HISTORY_LIMITS });
      const { health } = journal;
      if (health.state === 'quarantined') return said('quarantined', health.why);
      if (health.state === 'ahead' && health.witnessed < this.#witnessedMin)
        return { type: 'wrong', why: `it goes on although its witnesses end at ${health.witnessed}` };
      return this.#judged(contentOf(journal, this.#blobs));
    } catch (thrown) {
      // Anything else is a crash, and ends the run.
      if (!CountersignError.is(thrown)) throw thrown;
      return said('named', thrown.message);
    } finally {
      void journal?.close();
    }
  }

  /** Whoever writes to what was called equal finds what was written, and all that was there. */
  async goOn(): Promise<Verdict> {
    const writer = openSqliteJournal({ dir: this.dir }, { limits: HISTORY_LIMITS });
    const before = writer.head();
    const next = stepAfter(before);
    try {
      if (writer.health.state !== 'quarantined') await writer.commit(next);
    } finally {
      await writer.close();
    }
    if (writer.health.state === 'quarantined') return said('quarantined', writer.health.why);
    const again = openSqliteJournal({ dir: this.dir, readOnly: true }, { limits: HISTORY_LIMITS });
    try {
      if (again.health.state === 'quarantined') return { type: 'wrong', why: `once written to: ${again.health.why}` };
      const [row] = again.rows(before.seq + 1, 10);
      const [wrote] = next.rows;
      const kept = wrote !== undefined && row !== undefined && toHex(row.root) === toHex(wrote.root);
      return kept ? { type: 'equal' } : { type: 'wrong', why: 'what was written to it is not there' };
    } finally {
      await again.close();
      this.#putBack([...this.#image.keys()]);
    }
  }

  #judged(found: JournalContent): Verdict {
    const answer = compared(found, this.#reference);
    if (answer === 'equal') return { type: 'equal' };
    if (answer === 'different') return { type: 'wrong', why: 'it tells another history' };
    const [fault] = verifySqliteJournal({ dir: this.dir }).faults;
    return fault === undefined
      ? { type: 'wrong', why: 'what is settled is not as it was, and nothing says so' }
      : said('named', fault);
  }

  #write(name: string, bytes: Uint8Array | null): void {
    if (bytes === null) rmSync(join(this.dir, name), { force: true });
    else writeFileSync(join(this.dir, name), bytes);
  }

  #putBack(names: readonly string[]): void {
    for (const name of readdirSync(this.dir)) if (!this.#image.has(name)) rmSync(join(this.dir, name));
    for (const name of names) this.#write(name, this.#image.get(name) ?? null);
  }
}

/** A person reads it: it is a sentence, and says something. */
function said(type: 'quarantined' | 'named', why: string): Verdict {
  return /^[A-Z].{10,}/.test(why) ? { type, why } : { type: 'wrong', why: `“${why}” names nothing` };
}

function factsOf(dir: string): { readonly blobs: readonly Digest[]; readonly witnessed: number } {
  const database = nodeDatabase(join(dir, 'journal.db'), { readonly: true });
  try {
    const blobs = database.prepare<[], Uint8Array>('SELECT hash FROM blobs').pluck().all();
    const witnessed = database.prepare<[], number>('SELECT witnessed FROM tally').pluck().get() ?? 0;
    // reason: a key of the table, made of 32 bytes
    return { blobs: blobs.map((hash) => toHex(hash) as Digest), witnessed };
  } finally {
    database.close();
  }
}
