import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';

/** Memory where there is some in the shape of a folder: what is made anew a thousand times needs no disk to sync to. */
export const MEMORY_FOLDER = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
