import { describe, expect, test } from 'vitest';
import type { SourceFile } from './layer-rules.ts';
import { ownFiles, readOwn, testSources } from './repository.ts';
import { compareSpec, specRules, threatRows, titleIds } from './spec-ids.ts';

/** Rules by family. A family that loses a row lost a promise, so the numbers stand here as well. */
const RULES_OF = { LC: 6, DC: 12, DR: 11, EF: 7, SM: 12, CA: 6, GM: 5, CP: 5, PN: 10 } as const;

describe('the specification', () => {
  const rules = specRules(readOwn('docs/spec.md'));
  const threats = threatRows(readOwn('docs/threat-model.md'));

  test('holds every rule once, without gaps', () => {
    const wanted = Object.entries(RULES_OF).flatMap(([family, count]) => numbered(`${family}-`, count));
    expect(rules.map(({ id }) => id).toSorted()).toEqual(wanted.toSorted());
    expect(threats.map(({ id }) => id).toSorted()).toEqual([...numbered('T', 23), ...numbered('F', 11)].toSorted());
  });

  test('calls built exactly what the titles of tests name', () => {
    const tests = testSources();
    expect(tests.length).toBeGreaterThan(10);
    expect(compareSpec({ rules, threats, tests })).toEqual({ unknown: [], unproven: [], early: [] });
  });

  test('names only proofs that exist', () => {
    const files = new Set(ownFiles('test'));
    expect(threats.flatMap(({ proofs }) => proofs).filter((path) => !files.has(path))).toEqual([]);
  });
});

describe('the coverage check itself', () => {
  const rules = specRules('- **DR-1** · built · Order.\n- **DR-2** · planned · Two signals.\n');
  const threats = threatRows('| T6 | a | b | `test/unit/a.test.ts` |\n| T9 | a | b | planned |\n');

  test('reads the ids that open a title, and no others', () => {
    expect(titled('[DR-1] [T6] a [DR-9] b', 'c [DR-2]', '[DR-3]').flatMap(titleIds)).toEqual(['DR-1', 'T6']);
  });

  test('is content when both sides agree', () => {
    const report = compareSpec({ rules, threats, tests: titled('[DR-1] a', '[T6] b') });
    expect(report).toEqual({ unknown: [], unproven: [], early: [] });
  });

  test('catches what is unknown, unproven and early', () => {
    const report = compareSpec({ rules, threats, tests: titled('[DR-2] a', '[DR-7] b', '[T9] c') });
    expect(report).toEqual({
      unknown: ['DR-7'],
      unproven: ['DR-1', 'T6 (test/unit/a.test.ts)'],
      early: ['DR-2', 'T9'],
    });
  });
});

function titled(...titles: readonly string[]): readonly SourceFile[] {
  return [{ path: 'test/unit/a.test.ts', text: titles.map((title) => `test('${title}', f);`).join('\n') }];
}

function numbered(prefix: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${index + 1}`);
}
