import { nodeDisk, type Disk } from '../../src/surfaces/files/disk.ts';

/** What a dead process throws at its test. */
class Crash extends Error {
  override readonly name = 'Crash';
}

const CHANGES = [
  'openSync',
  'writeSync',
  'fchmodSync',
  'fsyncSync',
  'renameSync',
  'linkSync',
  'unlinkSync',
  'mkdirSync',
  'rmdirSync',
] as const;

export interface CrashingDisk {
  readonly disk: Disk;
  /** The process dies right before its n-th system call, from 0, counted from now. `undefined`: it lives. */
  arm(step: number | undefined): void;
  /** Whether it has died since it was armed. */
  readonly dead: boolean;
}

/** The real disk until it dies: then every call that could change anything throws, as after a `kill -9`. */
export function crashingDisk(): CrashingDisk {
  let left: number | undefined;
  let dead = false;
  const step = (): void => {
    if (left === undefined) return;
    if (left-- <= 0) {
      dead = true;
      throw new Crash('killed');
    }
  };
  const disk: Record<string, unknown> = { ...nodeDisk };
  for (const name of CHANGES) {
    const call = nodeDisk[name] as (...args: readonly unknown[]) => unknown;
    disk[name] = (...args: readonly unknown[]) => {
      step();
      return call(...args);
    };
  }
  return {
    disk: disk as unknown as Disk,
    arm: (at) => {
      left = at;
      dead = false;
    },
    get dead() {
      return dead;
    },
  };
}
