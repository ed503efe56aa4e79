import { readFile } from 'node:fs/promises';

/** Programs named above a command line. Deeper chains say nothing a person reads. */
const NAMES_MAX = 8;

/** Reads `/proc/<pid>/status`; a port so that chains can be tested. */
export type ReadStatus = (pid: number) => Promise<string>;

/**
 * Names of the programs above this one, nearest first: shown beside a decision made from a shell, so that a person
 * sees when an agent made it (T22). A claim, not a proof. Empty where the system does not tell.
 */
export async function programsAbove(pid: number, read: ReadStatus = readProc): Promise<readonly string[]> {
  const names: string[] = [];
  for (let next = pid; next > 0 && names.length < NAMES_MAX;) {
    const status = await statusOf(next, read);
    if (status === undefined) break;
    names.push(status.name);
    next = status.parent;
  }
  return names;
}

async function statusOf(
  pid: number,
  read: ReadStatus,
): Promise<{ readonly name: string; readonly parent: number } | undefined> {
  let text: string;
  try {
    text = await read(pid);
  } catch {
    // The process has ended, or this system has no /proc: the chain ends here.
    return undefined;
  }
  const name = /^Name:\t(.*)$/m.exec(text)?.[1];
  const parent = /^PPid:\t(\d+)$/m.exec(text)?.[1];
  return name === undefined || parent === undefined ? undefined : { name, parent: Number(parent) };
}

function readProc(pid: number): Promise<string> {
  return readFile(`/proc/${pid}/status`, 'utf8');
}
