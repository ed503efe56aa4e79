import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A private folder that is gone when the test is. */
export async function tempDir(name = 'countersign', parent = tmpdir()): Promise<string> {
  const dir = await mkdtemp(join(await realpath(parent), `${name}-`));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}
