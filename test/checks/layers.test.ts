import { describe, expect, test } from 'vitest';
import { checkLayers } from './layer-rules.ts';
import { LAYERS, PACKAGES } from './layer-table.ts';
import { productSources, readOwn } from './repository.ts';

describe('layers', () => {
  test('every import of the product is on the allow-list, and no pure folder reads clock, dice or network', () => {
    const report = checkLayers(productSources());
    expect(report.violations).toEqual([]);
    // A check that saw nothing proves nothing.
    expect(report.files).toBeGreaterThan(20);
    expect(report.imports).toBeGreaterThan(40);
  });

  test('docs/architecture.md quotes both tables', () => {
    const text = readOwn('docs/architecture.md');
    expect(text).toContain(layerTable());
    expect(text).toContain(packageTable());
  });

  test('the package table speaks of every dependency and of nothing else', () => {
    const manifest: unknown = JSON.parse(readOwn('package.json'));
    expect(manifest).toHaveProperty('dependencies');
    // reason: the line above has seen the field; npm keeps its shape
    const { dependencies } = manifest as { readonly dependencies: Readonly<Record<string, string>> };
    expect(Object.keys(PACKAGES).toSorted()).toEqual(Object.keys(dependencies).toSorted());
  });
});

describe('the layer check itself', () => {
  test.each([
    ['src/base/x.ts', "import { a } from '../model/ids.ts';", 'base may not import model'],
    [
      'src/overlay/x.ts',
      "import type { Journal } from '../authority/ports.ts';",
      'overlay may not import authority/ports',
    ],
    ['src/model/x.ts', "export type { Signer } from '../crypto/node.ts';", 'model may not import crypto'],
    [
      'src/surfaces/files/x.ts',
      "import { a } from '../message/index.ts';",
      'surfaces/files may not import surfaces/message',
    ],
    ['src/surfaces/files/x.ts', "import { a } from '../../authority/drain.ts';", 'may not import authority'],
    ['src/authority/x.ts', "const r = await import('../replica/index.ts');", 'authority may not import replica'],
    ['src/authority/ports.ts', "import { a } from './drain.ts';", 'authority/ports may not import authority'],
    ['src/hosts/mcp/x.ts', "type T = import('../codex/x.ts').T;", 'hosts/mcp may not import hosts/codex'],
    ['sync-server/x.ts', "import { a } from '../src/model/action.ts';", 'sync-server may not import model'],
    ['src/door/x.ts', "import a = require('../overlay/types.ts');", 'door may not import overlay'],
    ['src/base/x.ts', "import { readFileSync } from 'node:fs';", 'base is pure and imports node:fs'],
    ['src/base/x.ts', "import { readFileSync } from 'fs';", 'base is pure and imports fs'],
    ['src/sync/x.ts', "import { connect } from 'node:net';", 'sync is portable and imports node:net'],
    ['src/authority/x.ts', "import Database from 'better-sqlite3';", 'authority may not import better-sqlite3'],
    ['src/model/x.ts', "import * as Y from 'yjs';", 'model may not import yjs'],
    ['src/cli/x.ts', "import left from 'left-pad';", 'no row of the package table speaks of left-pad'],
    ['src/cli/x.ts', 'const m = await import(name);', 'must be a literal'],
    ['src/cli/x.ts', "import { a } from '../../test/support/a.ts';", 'belongs to no layer'],
    ['src/elsewhere/x.ts', '', 'no row of the layer table speaks of this file'],
  ])('catches %s: %s', (path, text, why) => {
    expect(checkLayers([{ path, text }]).violations.join('\n')).toContain(why);
  });

  test.each([
    ['Date.now()', 'Date.now'],
    ["Date['now']()", 'Date as a value'],
    ['new Date()', 'Date as a value'],
    ['const { now } = Date', 'Date as a value'],
    ['Math.random()', 'Math.random'],
    ['const { random } = Math', 'Math as a value'],
    ['AbortSignal.timeout(5)', 'AbortSignal.timeout'],
    ['setTimeout(() => undefined, 1)', 'setTimeout'],
    ['const later = { setInterval }', 'setInterval'],
    ['(setImmediate as unknown)', 'setImmediate'],
    ['globalThis.fetch', 'globalThis'],
    ['performance.now()', 'performance'],
    ['crypto.randomUUID()', 'crypto'],
    ['function f(a = fetch) { return a; }', 'fetch'],
    ['function f(crypto: unknown) { return crypto; } crypto.subtle', 'crypto'],
    ['process.env', 'process'],
    ['Buffer.from("a")', 'Buffer'],
  ])('catches a pure folder that says %s', (text, what) => {
    expect(checkLayers([{ path: 'src/base/x.ts', text }]).violations.join('\n')).toContain(
      `base is pure and uses ${what}`,
    );
  });

  test.each([
    ['src/overlay/x.ts', "import type { Json } from '../base/canonical-json.ts';\nimport { b } from './types.ts';"],
    ['src/authority/x.ts', "import type { Journal } from './ports.ts';\nimport { v } from '../overlay/fold.ts';"],
    ['src/surfaces/files/x.ts', "import type { Surface } from '../../authority/ports.ts';\nimport 'node:fs';"],
    ['src/base/x.ts', 'new Date(5); Date.UTC(1); Math.max(1, 2); value instanceof Date; ({ fetch: 1 }).fetch;'],
    ['src/base/x.ts', 'function f(crypto: Crypto) { const process = 1; return crypto.sha256(process); }'],
    [
      'src/base/x.ts',
      'class A { fetch() {} crypto = 1; } for (const process of []) { f(process); } let t: typeof fetch;',
    ],
    ['src/cli/x.ts', "import { a } from '../surfaces/files/index.ts'; Date.now(); process.exit(0);"],
    ['sync-server/x.ts', "import { a } from '../src/base/errors.ts';\nimport 'node:http';"],
  ])('lets pass %s: %s', (path, text) => {
    expect(checkLayers([{ path, text }]).violations).toEqual([]);
  });

  test('does not take half a file for a clean one', () => {
    expect(() => checkLayers([{ path: 'src/base/x.ts', text: 'import {' }])).toThrow('does not parse');
  });
});

function layerTable(): string {
  const rows = LAYERS.map(({ folder, may, world }) => {
    const list = may === 'all' ? 'all' : may.length === 0 ? '–' : may.join(', ');
    return `| ${folder} | ${list} | ${world} |`;
  });
  return ['| folder | may import | world |', '| --- | --- | --- |', ...rows].join('\n');
}

function packageTable(): string {
  const rows = Object.entries(PACKAGES).map(([name, folders]) => `| ${name} | ${folders.join(', ')} |`);
  return ['| package | only in |', '| --- | --- |', ...rows].join('\n');
}
