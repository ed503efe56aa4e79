import * as Y from 'yjs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toHex } from '../../src/base/bytes.ts';
import { LedgerAuthor } from '../../src/doc/ledger-author.ts';
import { DOCUMENT_ROOT, UpdateGuard } from '../../src/sync/update-guard.ts';
import { actionDraft, actionOf, AS_OF, authorOptions, readerOf, replicaOf, shownBy } from '../support/doc-lab.ts';

/**
 * Goal: a replica shows what the author published, whatever the network does, and never calls a part of it whole.
 * Method: an author lives through random changes and restarts; its updates come to a replica in any order, twice, or
 * not at all; afterwards its reader is compared with the author, and with a reader that reads the document anew.
 */
const IDS = 8;

const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ puts: ids(3), drops: ids(2), restart: fc.constant(false) }) },
  { weight: 1, arbitrary: fc.record({ puts: ids(1), drops: ids(1), restart: fc.constant(true) }) },
);
const story = fc.array(step, { minLength: 1, maxLength: 12 });

function ids(max: number): fc.Arbitrary<number[]> {
  return fc.uniqueArray(fc.integer({ min: 1, max: IDS }), { maxLength: max });
}

interface Told {
  readonly author: LedgerAuthor;
  readonly updates: readonly Uint8Array[];
  /** What the author held after each number of changes. */
  readonly moments: readonly (readonly string[])[];
}

function tell(steps: readonly { puts: number[]; drops: number[]; restart: boolean }[]): Told {
  const options = authorOptions(JSON.stringify(steps));
  let author = LedgerAuthor.fresh(options);
  const updates: Uint8Array[] = [];
  const moments: (readonly string[])[] = [[]];
  steps.forEach(({ drops, puts, restart }, attempts) => {
    if (restart) {
      const again = LedgerAuthor.restore(options, author.state());
      if (!again.ok) throw new Error(again.error);
      author = again.value;
    }
    updates.push(
      author.change({
        puts: puts.map((n) => actionDraft(n, { attempts })),
        drops: drops.filter((n) => !puts.includes(n)).map(actionOf),
        asOf: AS_OF,
      }),
    );
    moments.push(held(author));
  });
  return { author, updates, moments };
}

function held(author: LedgerAuthor): readonly string[] {
  return author.ids.toSorted().map((id) => `${id} ${author.record(id)?.rev}`);
}

function shown(reader: ReturnType<typeof readerOf>): readonly string[] {
  return reader.ids.toSorted().map((id) => {
    const opened = reader.open(id);
    return `${id} ${opened?.ok === true ? opened.value.record.rev : 'unread'}`;
  });
}

test('everything delivered, in any order and more than once, is the author’s present', () => {
  fc.assert(
    fc.property(story, fc.infiniteStream(fc.nat()), (steps, dice) => {
      const { author, updates } = tell(steps);
      const deliveries = shuffled([...updates, ...updates.slice(updates.length / 2)], dice);
      const { doc, reader } = replicaOf();
      for (const update of deliveries) Y.applyUpdate(doc, update);
      expect(reader.check().state).toBe('whole');
      expect(shown(reader)).toEqual(held(author));
      expect(toHex(Y.encodeStateAsUpdate(doc))).toBe(toHex(author.state()));
      const anew = readerOf(doc);
      expect(shownBy(anew)).toEqual(shownBy(reader));
      expect(anew.check()).toEqual(reader.check());
    }),
    { numRuns: 60 },
  );
});

test('a part of it is whole only where it is what the author held at one moment', () => {
  fc.assert(
    fc.property(story, fc.infiniteStream(fc.nat()), fc.nat(), (steps, dice, size) => {
      const { updates, moments } = tell(steps);
      const { doc, reader } = replicaOf();
      for (const update of shuffled(updates, dice).slice(0, size % (updates.length + 1))) {
        Y.applyUpdate(doc, update);
        const check = reader.check();
        expect(['whole', 'incomplete']).toContain(check.state);
        if (check.state === 'whole') expect(shown(reader)).toEqual(moments[check.sum.rev]);
        expect(readerOf(doc).check()).toEqual(check);
      }
    }),
    { numRuns: 60 },
  );
});

test('in order, it is whole after every change, and the guard of our documents takes each', () => {
  fc.assert(
    fc.property(story, (steps) => {
      const { updates, moments } = tell(steps);
      const { doc, reader } = replicaOf();
      const guard = new UpdateGuard(doc, { bytesMax: 1024 * 1024, root: DOCUMENT_ROOT.ledger });
      updates.forEach((update, index) => {
        expect(guard.take(update)).toEqual({ ok: true, value: undefined });
        expect(reader.check()).toMatchObject({ state: 'whole', sum: { rev: index + 1 } });
        expect(shown(reader)).toEqual(moments[index + 1]);
      });
    }),
    { numRuns: 40 },
  );
});

test('one byte changed anywhere is refused, seen, or without effect', () => {
  fc.assert(
    fc.property(fc.nat(), fc.integer({ min: 1, max: 255 }), (at, mask) => {
      const { updates, author } = FIXED;
      const last = updates.at(-1)?.slice() ?? new Uint8Array(1);
      last[at % last.length] = (last[at % last.length] ?? 0) ^ mask;
      const { doc, reader } = replicaOf(updates.slice(0, -1));
      const before = shown(reader);
      const taken = new UpdateGuard(doc, { bytesMax: 1024 * 1024, root: DOCUMENT_ROOT.ledger }).take(last);
      const check = reader.check();
      if (check.state !== 'whole') return;
      expect([before, held(author)]).toContainEqual(shown(reader));
      if (!taken.ok) expect(shown(reader)).toEqual(before);
    }),
    { numRuns: 400 },
  );
});

const FIXED = tell([
  { puts: [1, 2, 3], drops: [], restart: false },
  { puts: [2], drops: [1], restart: false },
  { puts: [4], drops: [3], restart: true },
]);

function shuffled<T>(items: readonly T[], dice: Iterator<number>): readonly T[] {
  const rest = [...items];
  return items.flatMap(() => rest.splice(Number(dice.next().value) % rest.length, 1));
}
