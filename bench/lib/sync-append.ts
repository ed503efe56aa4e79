import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** What the disk asks for one durable write: append and fdatasync, nothing around it. Microseconds of each, in order. */
export function bareAppends(options: { readonly dir: string; readonly count: number; readonly bytes: number }) {
  const path = join(options.dir, `append-${process.pid}`);
  const file = openSync(path, 'a');
  try {
    const value = Buffer.alloc(options.bytes, 'x');
    return Array.from({ length: options.count }, () => {
      const startedAtNs = process.hrtime.bigint();
      writeSync(file, value);
      fdatasyncSync(file);
      return Number(process.hrtime.bigint() - startedAtNs) / 1000;
    });
  } finally {
    closeSync(file);
    rmSync(path, { force: true });
  }
}
