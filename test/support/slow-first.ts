import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Folders whose files take long, the longest first; whatever else there is comes after them. */
const SLOW = ['browser', 'simulation', 'crash', 'integration', 'fuzz'] as const;

/**
 * Starts the kinds that take long before all others, so that no worker is left alone with one of them at the end. Within
 * a kind the order is vitest's: by how long a file took the last time here, else by its size.
 */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- reason: vitest's own method, no array's
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rank(a.moduleId) - rank(b.moduleId));
  }
}

function rank(path: string): number {
  const parts = path.split(/[\\/]/);
  const found = SLOW.findIndex((folder) => parts[parts.lastIndexOf('test') + 1] === folder);
  return found === -1 ? SLOW.length : found;
}
