import { join } from 'node:path';
import { codeOf, type Disk } from './disk.ts';

export const RESERVE_FILE = 'reserve';

/** Free space, in reserves, from which on the reserve is made again: never with the disk's last bytes. */
const FREE_MIN = 2;

/** Disk space kept back, given free so that the outcome of an effect under way can still be written (F2). */
export class Reserve {
  readonly #disk: Disk;
  readonly #folder: string;
  readonly #bytes: number;
  #held = false;

  constructor(disk: Disk, folder: string, bytes: number) {
    this.#disk = disk;
    this.#folder = folder;
    this.#bytes = bytes;
  }

  /** Makes the reserve where it is missing and the disk has room for more than it. True when it is there. */
  restore(): boolean {
    if (this.#held) return true;
    const path = join(this.#folder, RESERVE_FILE);
    const there = this.#disk.sizeOf(path) === this.#bytes;
    if (!there && this.#disk.freeBytes(this.#folder) >= FREE_MIN * this.#bytes) this.#fill(path);
    this.#held = this.#disk.sizeOf(path) === this.#bytes;
    return this.#held;
  }

  /** True when space was given free. */
  release(): boolean {
    const held = this.#held;
    this.#disk.remove(join(this.#folder, RESERVE_FILE));
    this.#held = false;
    return held;
  }

  #fill(path: string): void {
    const file = this.#disk.open(path, 'create');
    try {
      file.write(new Uint8Array(this.#bytes), 0);
      file.sync();
    } catch (cause) {
      if (!['ENOSPC', 'EDQUOT'].includes(codeOf(cause) ?? '')) throw cause;
      this.#disk.remove(path);
    } finally {
      file.close();
    }
  }
}
