import { expect, test } from 'vitest';
import { loadedBy } from './loads.ts';
import { readOwn } from './repository.ts';

/** Folders and packages that cost a start more than everything that a command to a running home needs. */
const HEAVY =
  /^src\/(authority|doc|hosts|journal|overlay|sync|surfaces\/(?!files\/cards\.ts))|^(yjs|lib0|re2js|pino|ws)\b/;
/** The native module: a command that decides keeps an outbox. */
const NATIVE = 'better-sqlite3';

const command = (name: string): readonly string[] => [...loadedBy(`src/cli/commands/${name}.ts`, readOwn)];

test.each(['status', 'queue', 'show', 'devices', 'panel', 'down', 'rules'])(
  'countersign %s loads only what it takes to ask a running home',
  (name) => {
    const loaded = command(name);
    // A check that saw nothing proves nothing.
    expect(loaded).toContain('src/door/client.ts');
    expect(loaded.filter((module) => HEAVY.test(module) || module === NATIVE)).toEqual([]);
  },
);

test('countersign approve and its like load an outbox besides', () => {
  const loaded = command('decide');
  expect(loaded).toContain(NATIVE);
  expect(loaded.filter((module) => HEAVY.test(module))).toEqual([]);
});

test('the command line itself loads no command', () => {
  expect(
    [...loadedBy('src/cli/main.ts', readOwn)].filter((module) => /commands\/(queue|decide|up)\.ts/.test(module)),
  ).toEqual([]);
  expect([...loadedBy('src/cli/main.ts', readOwn)]).not.toContain('zod');
});

test('a module that is loaded by what is loaded is seen; types, and what is loaded later, are not', () => {
  const files: Readonly<Record<string, string>> = {
    'src/a.ts':
      "import { b } from './b/b.ts';\nimport type { T } from 'type-only';\nimport { type U } from 'types-only';",
    'src/b/b.ts': "export { c } from '../c.ts';\nexport const later = () => import('later');",
    'src/c.ts': "import 'package';\nimport { readFile } from 'node:fs';",
  };
  const read = (path: string): string => files[path] ?? '';
  expect([...loadedBy('src/a.ts', read)]).toEqual(['src/a.ts', 'src/b/b.ts', 'src/c.ts', 'package']);
});
