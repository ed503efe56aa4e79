import type { Resource } from '../../model/content.ts';

/** A path inside the workspace: `/` between names, no `.`, `..` or empty name; `''` is the workspace folder. */
export type RelativePath = string;

const PREFIX = 'file:';

export function resourceOf(path: RelativePath): Resource {
  return PREFIX + path;
}

export function pathOf(resource: Resource): RelativePath {
  return resource.slice(PREFIX.length);
}

/** The folder a path lies in; `''` for names in the workspace folder and for that folder itself. */
export function parentOf(path: RelativePath): RelativePath {
  const slash = path.lastIndexOf('/');
  return slash < 0 ? '' : path.slice(0, slash);
}

export function nameOf(path: RelativePath): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

export function join(folder: RelativePath, name: string): RelativePath {
  if (folder === '') return name;
  return name === '' ? folder : `${folder}/${name}`;
}

export function namesOf(path: RelativePath): readonly string[] {
  return path === '' ? [] : path.split('/');
}

/** True when `path` is `folder` or lies in it. */
export function isWithin(path: RelativePath, folder: RelativePath): boolean {
  return folder === '' || path === folder || path.startsWith(`${folder}/`);
}

/** How a path is named to people and agents. */
export function shown(path: RelativePath): string {
  return path === '' ? 'the workspace folder' : path;
}
