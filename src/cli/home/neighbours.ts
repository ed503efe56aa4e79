import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { nesting } from '../state/containment.ts';
import type { FolderIdentity } from '../state/workspace-place.ts';
import { askHolder, holderOf } from './lock.ts';

/** Another home's workspace inside or around this folder, as a sentence; `undefined` when there is none. */
export async function foreignNeighbour(folder: FolderIdentity): Promise<string | undefined> {
  for (let path = dirname(folder.path); ; path = dirname(path)) {
    const found = await stat(path, { bigint: true });
    const above = { path, dev: String(found.dev), ino: String(found.ino), born: '0' };
    const holder = await holderOf('workspace', above);
    if (holder !== undefined) {
      const by = holder === null ? 'another home' : `home ${holder.homeId} (process ${holder.pid})`;
      return `${folder.path} lies inside ${path}, which ${by} already guards.`;
    }
    if (path === dirname(path)) break;
  }
  return insideOf(folder);
}

/** Only Linux lists the sockets of others; elsewhere a workspace below ours is found when it meets our lock. */
async function insideOf(folder: FolderIdentity): Promise<string | undefined> {
  if (process.platform !== 'linux') return undefined;
  const names = abstractNames(await readFile('/proc/net/unix', 'utf8'));
  const holders = await Promise.all(names.map((name) => askHolder(name)));
  const inner = holders.find(
    (holder) => holder !== null && holder !== undefined && nesting(holder.root, folder.path) === 'inside',
  );
  if (inner === undefined || inner === null) return undefined;
  return `${folder.path} lies around ${inner.root}, which home ${inner.homeId} (process ${inner.pid}) already guards.`;
}

/** Names of listening workspace locks; the kernel shows their zero bytes as `@`. */
function abstractNames(text: string): readonly string[] {
  const found = text.matchAll(/ @(countersign-workspace-\d+-\d+)@*$/gm);
  return [...new Set([...found].map((match) => `\0${match[1]}`.padEnd(108, '\0')))];
}
