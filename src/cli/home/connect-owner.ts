import { CountersignError } from '../../base/errors.ts';
import { ownerDoorClient } from '../../door/client.ts';
import type { OwnerPort } from '../../model/owner-port.ts';
import { connectSocket } from '../sockets/connect.ts';
import { findSocketFolder, socketPath } from '../sockets/socket-folder.ts';
import type { StateFolder } from '../state/folder.ts';
import { systemClock } from './system.ts';

/** Milliseconds a home has to say hello. One that was stopped takes connections and never answers. */
const HELLO_MS_MAX = 5_000;

/** The running home of this state folder; `undefined` when none runs. Throws `busy` when one runs and does not answer. */
export async function connectOwner(folder: StateFolder): Promise<OwnerPort | undefined> {
  const sockets = await findSocketFolder(folder.doors);
  if (sockets === undefined) return undefined;
  try {
    const link = await connectSocket({ path: socketPath(sockets, 'owner'), clock: systemClock });
    return await inTime(ownerDoorClient(link), () => link.close());
  } catch (error) {
    if (CountersignError.is(error) && error.code === 'closed') return undefined;
    throw error;
  }
}

/** Waits for the home's first answer and no longer than a person would. */
export function inTime<T>(answer: Promise<T>, giveUp: () => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = systemClock.after(HELLO_MS_MAX, () => {
      giveUp();
      reject(new CountersignError('busy', 'The running home does not answer (its process may be stopped).'));
    });
    answer.then(resolve, reject).finally(cancel);
  });
}
