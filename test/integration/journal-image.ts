import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The bytes of a journal's files at one instant: what a crash at that instant leaves. */
export type Image = ReadonlyMap<string, Uint8Array>;

/** The reserve says nothing, and SQLite rebuilds its shared memory. */
const LEFT_OUT: ReadonlySet<string> = new Set(['reserve', 'journal.db-shm']);

export function imageOf(dir: string): Image {
  const names = readdirSync(dir).filter((name) => !LEFT_OUT.has(name));
  return new Map(names.map((name) => [name, readFileSync(join(dir, name))]));
}

export function restore(image: Image, dir: string): void {
  mkdirSync(dir, { recursive: true });
  for (const [name, bytes] of image) writeFileSync(join(dir, name), bytes);
}

/** The database of one instant with the head log of another. */
export function spliced(parts: { readonly database: Image; readonly headLog: Image }): Image {
  return new Map([
    ...[...parts.database].filter(([name]) => name.startsWith('journal')),
    ...[...parts.headLog].filter(([name]) => name.startsWith('head')),
  ]);
}

export function without(image: Image, ...names: readonly string[]): Image {
  return new Map([...image].filter(([name]) => !names.includes(name)));
}

export function changed(image: Image, name: string, change: (bytes: Uint8Array) => Uint8Array): Image {
  return new Map([...image].map(([at, bytes]) => [at, at === name ? change(new Uint8Array(bytes)) : bytes] as const));
}

export function xored(bytes: Uint8Array, at: number, mask: number): Uint8Array {
  bytes[at] = (bytes[at] ?? 0) ^ mask;
  return bytes;
}
