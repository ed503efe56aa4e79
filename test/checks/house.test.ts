import { describe, expect, test } from 'vitest';
import { VERSION } from '../../src/base/version.ts';
import { FILE_LINES_MAX, checkHouse } from './house-rules.ts';
import { ownFiles, readOwn } from './repository.ts';

const README_LINES_MAX = 150;
/** This file: what it shows the check to be able to find. */
const HOLDS_PLANTED_FAULTS = 'test/checks/house.test.ts';

describe('house rules', () => {
  test('every file keeps them', () => {
    const files = ownFiles()
      .filter((path) => path !== HOLDS_PLANTED_FAULTS)
      .map((path) => ({ path, text: readOwn(path) }));
    expect(files.length).toBeGreaterThan(60);
    expect(checkHouse(files)).toEqual([]);
  });

  test('every dependency is pinned exactly, and the lockfile holds one yjs and one lib0', () => {
    const manifest = readJson<Manifest>('package.json');
    const versions = Object.values({ ...manifest.dependencies, ...manifest.devDependencies });
    expect(versions.length).toBeGreaterThan(20);
    expect(versions.filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
    const installed = Object.keys(readJson<Lockfile>('package-lock.json').packages);
    // Two copies of either fail silently: a document of one is not a document to the other.
    for (const name of ['yjs', 'lib0'])
      expect(installed.filter((path) => path.endsWith(`node_modules/${name}`))).toEqual([`node_modules/${name}`]);
  });

  test('the version is the same wherever it is said', () => {
    const { version } = readJson<Manifest>('package.json');
    expect(VERSION).toBe(version);
    expect(readJson<Lockfile>('package-lock.json').packages['']?.version).toBe(version);
    expect(readOwn('CHANGELOG.md')).toContain(`## ${version}`);
  });

  test('the README is short, and its example is the file that is type-checked', () => {
    const readme = readOwn('README.md');
    expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(README_LINES_MAX);
    const shown = /```ts\n([^]*?)```/.exec(readme)?.[1];
    const cut = /\/\/ #region readme\n([^]*?)\/\/ #endregion/.exec(readOwn('examples/embed.ts'))?.[1];
    expect(cut).toBeDefined();
    expect(shown).toBe(cut);
  });
});

describe('the house check itself', () => {
  test.each([
    ['src/a.ts', "export * from './b.ts';", 'exports everything'],
    ['src/a.ts', 'class A extends B {}', 'inherits'],
    ['src/a.ts', 'const a = b as C;', 'overrules the compiler'],
    ['src/a.ts', '// reason: one\nconst a = b as C;\nconst d = e as F;', 'a.ts:3: overrules the compiler'],
    ['src/a.ts', 'const a = b!;', 'overrules the compiler'],
    ['src/a.ts', '// @ts-expect-error\na();', 'overrules the compiler'],
    ['src/a.ts', '// oxlint-disable-next-line no-console\na();', 'overrules the compiler'],
    ['src/someThing.ts', '', 'kebab-case'],
    ['docs/a.md', 'TODO: finish', 'not finished'],
    ['src/a.ts', 'await sleep(5)', 'sleeps'],
    ['test/unit/a.test.ts', "test.each([1]).only('x')", 'leaves tests out'],
    ['test/unit/a.test.ts', "vi.mock('x')", 'mocks a module'],
    ['README.md', ['see ', 'work', 'main'].join('/'), 'path of one machine'],
    ['package-lock.json', ['https:', '', 'registry.example.org'].join('/'), 'registry host'],
  ])('catches in %s: %s', (path, text, what) => {
    expect(checkHouse([{ path, text }]).join('\n')).toContain(what);
  });

  test('catches a file of one line too many', () => {
    const [found] = checkHouse([{ path: 'src/a.ts', text: 'x;\n'.repeat(FILE_LINES_MAX + 1) }]);
    expect(found).toContain('has 401 lines');
    expect(checkHouse([{ path: 'src/a.ts', text: 'x;\n'.repeat(FILE_LINES_MAX) }])).toEqual([]);
  });

  test.each([
    ['src/a.ts', "import { b as c } from './b.ts';\nexport const d = [c] as const;"],
    ['src/a.ts', 'class E extends Error {}\nconst a = b as C; // reason: checked above'],
    ['src/a.ts', '// reason: the parser has seen it\nconst a = {\n  b,\n} as C;'],
    ['src/a.ts', 'const a = {\n  b,\n  // reason: the parser has seen it\n} as C;'],
    ['src/a.ts', '// reason: the parser has seen it\nconst a =\n  b === undefined\n    ? c\n    : (b as C);'],
    ['test/unit/a.test.ts', "test.skipIf(process.platform === 'win32')('x')"],
  ])('lets pass in %s: %s', (path, text) => {
    expect(checkHouse([{ path, text }])).toEqual([]);
  });
});

interface Manifest {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

interface Lockfile {
  readonly packages: Readonly<Record<string, { readonly version?: string }>>;
}

function readJson<T>(path: string): T {
  return JSON.parse(readOwn(path));
}
