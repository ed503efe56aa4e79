import { CountersignError } from '../../base/errors.ts';
import type { OwnerPort } from '../../model/owner-port.ts';
import { connectOwner } from '../home/connect-owner.ts';
import { findStateFolder } from '../state/folder.ts';

/** Asks the running home of a state folder; `undefined` when none runs. */
export async function askHome<T>(stateDir: string, ask: (port: OwnerPort) => Promise<T>): Promise<T | undefined> {
  const folder = await findStateFolder(stateDir);
  const port = folder === undefined ? undefined : await connectOwner(folder);
  if (port === undefined) return undefined;
  try {
    return await ask(port);
  } finally {
    await port.close();
  }
}

/** The same. Throws: `closed` with the command that starts one. */
export async function askRunningHome<T>(stateDir: string, ask: (port: OwnerPort) => Promise<T>): Promise<T> {
  const answer = await askHome(stateDir, async (port) => ({ value: await ask(port) }));
  if (answer === undefined) throw new CountersignError('closed', 'No home runs; start one with: countersign up');
  return answer.value;
}
