import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { nobleCrypto } from '../../src/crypto/noble.ts';
import { filesPack } from '../../src/surfaces/files/index.ts';
import { surfaceContract, type SurfaceCall, type SurfaceWorld } from '../../src/testing/index.ts';
import type { Surface } from '../../src/authority/ports.ts';
import { tracker } from '../support/tracker-surface.ts';
import { shelf } from '../support/shelf-surface.ts';
import { tempDir } from '../support/temp-dir.ts';

const { sha256 } = nobleCrypto;

/** A folder with a little of everything; `disturb` is what somebody else does to it meanwhile. */
async function folder(disturb: (root: string) => Promise<void>): Promise<SurfaceWorld> {
  const root = await tempDir();
  await mkdir(join(root, 'src', 'deep'), { recursive: true });
  await mkdir(join(root, 'empty'));
  await writeFile(join(root, 'src', 'app.ts'), 'one\r\ntwo\nthree');
  await writeFile(join(root, 'src', 'deep', 'run.sh'), '#!/bin/sh\n');
  await chmod(join(root, 'src', 'deep', 'run.sh'), 0o755);
  await writeFile(join(root, 'logo.bin'), new Uint8Array([0, 255, 1, 254]));
  return { pack: filesPack({ root, denied: [] }), snapshot: () => snapshot(root), disturb: () => disturb(root) };
}

async function snapshot(root: string): Promise<unknown> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const found: Record<string, string> = {};
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    const { mode } = await stat(path);
    found[path.slice(root.length)] =
      `${(mode & 0o7777).toString(8)} ${entry.isFile() ? (await readFile(path)).toString('base64') : 'folder'}`;
  }
  return found;
}

const FILE_READS: readonly SurfaceCall[] = [
  { tool: 'directory_tree', arguments: { path: '.' } },
  { tool: 'search_files', arguments: { path: '.', pattern: '**/*' } },
  { tool: 'grep_files', arguments: { path: '.', pattern: 'o' } },
  { tool: 'list_directory', arguments: { path: 'src' } },
  { tool: 'read_multiple_files', arguments: { paths: ['src/app.ts', 'src/deep/run.sh', 'src/new.ts', 'lib/app.ts'] } },
];

const touch = (path: string) => (root: string) => writeFile(join(root, path), 'somebody else was here');

const FILE_CALLS: Readonly<
  Record<string, { readonly call: SurfaceCall; readonly disturb: (root: string) => Promise<void> }>
> = {
  'create a file': {
    call: { tool: 'write_file', arguments: { path: 'src/new.ts', content: 'new\n' } },
    disturb: touch('src/new.ts'),
  },
  'overwrite a file': {
    call: { tool: 'write_file', arguments: { path: 'src/app.ts', content: 'all new' } },
    disturb: touch('src/app.ts'),
  },
  'overwrite an executable': {
    call: { tool: 'write_file', arguments: { path: 'src/deep/run.sh', content: '#!/bin/bash\n' } },
    disturb: (root) => chmod(join(root, 'src/deep/run.sh'), 0o644),
  },
  'edit a file': {
    call: { tool: 'edit_file', arguments: { path: 'src/app.ts', edits: [{ oldText: 'two', newText: '2' }] } },
    disturb: touch('src/app.ts'),
  },
  'make folders': { call: { tool: 'create_directory', arguments: { path: 'a/b/c' } }, disturb: touch('a') },
  'move a file': {
    call: { tool: 'move_file', arguments: { source: 'src/app.ts', destination: 'app.ts' } },
    disturb: touch('app.ts'),
  },
  'move a folder': {
    call: { tool: 'move_file', arguments: { source: 'src', destination: 'lib' } },
    disturb: touch('src/app.ts'),
  },
  'delete a file': { call: { tool: 'delete_file', arguments: { path: 'logo.bin' } }, disturb: touch('logo.bin') },
  'delete an empty folder': {
    call: { tool: 'delete_file', arguments: { path: 'empty' } },
    disturb: touch('empty/now-full'),
  },
  'delete a tree': {
    call: { tool: 'delete_file', arguments: { path: 'src', recursive: true } },
    disturb: touch('src/deep/another'),
  },
};

describe.each(Object.entries(FILE_CALLS))('files: %s', (_, { call, disturb }) => {
  const cases = surfaceContract({ world: () => folder(disturb), call, reads: FILE_READS, sha256 });
  test.each(cases)('[SM-3] $title', ({ run }) => expect(run()).resolves.toBeUndefined());
});

describe('the shelf of the tests', () => {
  const world = async (): Promise<SurfaceWorld> => {
    const { notes, pack } = shelf();
    notes.set('a', 'old');
    return { pack, snapshot: async () => Object.fromEntries(notes), disturb: async () => void notes.set('a', 'else') };
  };
  const cases = surfaceContract({
    world,
    call: { tool: 'put', arguments: { name: 'a', text: 'new' } },
    reads: [{ tool: 'get', arguments: { name: 'a' } }],
    sha256,
  });
  test.each(cases)('[SM-3] $title', ({ run }) => expect(run()).resolves.toBeUndefined());

  test('[SM-3] a surface that lies is caught', async () => {
    const lying = async (): Promise<SurfaceWorld> => {
      const honest = await world();
      const surfaces = honest.pack.surfaces.map((surface) => ({
        ...surface,
        apply: async () => ({ type: 'applied', evidence: {}, drift: null }) as const,
      }));
      return { ...honest, pack: { ...honest.pack, surfaces } };
    };
    const caught = surfaceContract({
      world: lying,
      call: { tool: 'put', arguments: { name: 'a', text: 'new' } },
      reads: [{ tool: 'get', arguments: { name: 'a' } }],
      sha256,
    });
    const failed = await Promise.all(
      caught.map(({ run }) =>
        run().then(
          () => false,
          () => true,
        ),
      ),
    );
    expect(failed).toEqual([true, false, true, true, true, false]);
  });
});

describe('the tracker of the tests, which gives its own ids', () => {
  const call = { tool: 'open_ticket', arguments: { title: 'Broken' } };
  const casesOf = (outputs: Surface['outputs'], id?: string) =>
    surfaceContract({
      world: async (): Promise<SurfaceWorld> => {
        const { hooks, pack, tickets } = tracker();
        if (id !== undefined) hooks.answer = () => ({ type: 'applied', evidence: { ticket: id }, drift: null });
        const surfaces = pack.surfaces.map((surface) =>
          surface.tool.name === 'open_ticket' && outputs !== undefined ? { ...surface, outputs } : surface,
        );
        const disturb = async (): Promise<void> => undefined;
        return { pack: { ...pack, surfaces }, snapshot: async () => [...tickets], disturb };
      },
      call,
      reads: [{ tool: 'list_tickets', arguments: {} }],
      sha256,
    }).filter(({ title }) => title !== 'a stale apply is reported, never swallowed');

  test.each(casesOf(undefined))('[SM-3] $title', ({ run }) => expect(run()).resolves.toBeUndefined());

  const leaks = (outputs: Surface['outputs'], id?: string) =>
    casesOf(outputs, id)
      .find(({ title }) => title === 'no unresolved reference leaves')
      ?.run();

  test('[SM-4] a surface that declares nothing, or points to nothing, or answers a reference, is caught', async () => {
    await expect(leaks({})).rejects.toThrow('outputs it declares, not: ticket');
    await expect(leaks({ ticket: '/evidence/elsewhere' })).rejects.toThrow('which ticket it made');
    await expect(leaks(undefined, 'countersign:ref:ticket:x')).rejects.toThrow('no reference stands');
  });
});
