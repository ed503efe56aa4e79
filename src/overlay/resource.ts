import type { Resource } from '../model/content.ts';

/** The resource this one stands in: `file:src/app.ts` → `file:src` → `file:` → none. */
export function parentOf(resource: Resource): Resource | undefined {
  const slash = resource.lastIndexOf('/');
  if (slash !== -1) return resource.slice(0, slash);
  const root = resource.slice(0, resource.indexOf(':') + 1);
  return root === resource ? undefined : root;
}

/** True of `file:src/app.ts` and `file:src`, `file:` or itself. */
export function isAtOrBelow(resource: Resource, root: Resource): boolean {
  return resource === root || resource.startsWith(root.endsWith(':') ? root : `${root}/`);
}
