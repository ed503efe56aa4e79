import type { HomeId } from '../model/ids.ts';
import type { ObjectStore, SnapshotStore } from './contract.ts';
import { SYNC_LIMITS } from './messages.ts';
import { PAUSES } from './next-attempt.ts';
import type { SyncPorts } from './ports.ts';
import { isNotFound } from './relay-error.ts';
import { retried } from './retried.ts';
import type { TicketHttp } from './ticket.ts';

/** Tries of one request that can be made twice: over about a minute, for somebody who waits. */
const TRIES_MAX = 5;

/** Bytes of an object that is asked for before it is sent: after a start most of them are there already. */
const ASKED_FROM_BYTES = 4 * 1024;

/** Bytes a relay keeps that are no documents: objects of a home, and the state of its rooms. */
export function openStores(options: {
  readonly tickets: TicketHttp;
  readonly home: HomeId;
  readonly ports: Pick<SyncPorts, 'clock' | 'random'>;
}): { readonly objects: ObjectStore; readonly snapshots: SnapshotStore } {
  const { home, tickets } = options;
  const again = { ...options.ports, pauses: PAUSES.unreachable, triesMax: TRIES_MAX };
  const objects: ObjectStore = {
    get: (path, onProgress) =>
      retried(
        () =>
          tickets.call({
            method: 'GET',
            path: `/o/${home}/${path}`,
            bytesMax: SYNC_LIMITS.blobBytesMax,
            ...(onProgress === undefined ? {} : { onProgress }),
          }),
        again,
      ),
    async put(path, bytes) {
      const at = `/o/${home}/${path}`;
      if (bytes.length > ASKED_FROM_BYTES && (await isThere(tickets, at))) return;
      await tickets.call({ method: 'PUT', path: at, headers: BYTES, body: bytes, bytesMax: 1024 });
    },
    async delete(path) {
      await found(tickets.call({ method: 'DELETE', path: `/o/${home}/${path}`, bytesMax: 1024 }));
    },
  };
  const snapshots: SnapshotStore = {
    get: (room, onProgress) =>
      found(
        tickets.call({
          method: 'GET',
          path: `/r/${room}/snapshot`,
          bytesMax: SYNC_LIMITS.snapshotBytesMax,
          ...(onProgress === undefined ? {} : { onProgress }),
        }),
      ),
    async put(room, state) {
      await retried(
        () => tickets.call({ method: 'PUT', path: `/r/${room}/snapshot`, headers: BYTES, body: state, bytesMax: 1024 }),
        again,
      );
    },
  };
  return { objects, snapshots };
}

const BYTES = { 'content-type': 'application/octet-stream' };

/** What stands under a path never changes, so whatever is there needs not be sent. */
async function isThere(tickets: TicketHttp, path: string): Promise<boolean> {
  const answer = await found(tickets.call({ method: 'HEAD', path, bytesMax: SYNC_LIMITS.blobBytesMax }));
  return answer !== undefined;
}

/** `undefined` for what the relay has not got. */
async function found<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (thrown) {
    if (isNotFound(thrown)) return undefined;
    throw thrown;
  }
}
