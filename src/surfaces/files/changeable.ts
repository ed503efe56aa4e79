import { CountersignError } from '../../base/errors.ts';
import type { FileEntry } from './entry.ts';
import { shown } from './resource.ts';
import type { Located, World } from './world.ts';

/**
 * A located file that may be replaced, moved or deleted.
 *
 * Throws: `denied` for what cannot be put back as it was, or is also something else.
 */
export function changeable(world: World, { entry, path }: Located): FileEntry {
  if (entry.type !== 'file') {
    const what = entry.type === 'link' ? 'a symbolic link' : entry.type === 'dir' ? 'a folder' : 'no regular file';
    throw new CountersignError('denied', `${shown(path)} is ${what}; it cannot be changed with this tool.`);
  }
  if (entry.stat === undefined) return entry;
  world.denied.checkFile(entry.stat, path);
  if (entry.stat.links > 1)
    throw new CountersignError(
      'denied',
      `${path} has another name (a hard link), which would be changed or split off.`,
    );
  if ((entry.mode & 0o6000) !== 0)
    throw new CountersignError('denied', `${path} runs with its owner's or group's rights; it cannot be changed here.`);
  return entry;
}
