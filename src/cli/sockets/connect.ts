import { connect } from 'node:net';
import type { Clock } from '../../base/clock.ts';
import { CountersignError } from '../../base/errors.ts';
import type { Link } from '../../door/link.ts';
import { codeOf, wordsOf } from '../state/node-errors.ts';
import { SOCKET_LIMITS } from './limits.ts';
import { socketLink } from './socket-link.ts';

/** Nobody listens: the file is absent, or was left by a process that died. */
const NOBODY = new Set(['ENOENT', 'ECONNREFUSED']);

/**
 * A link to whoever listens on a Unix socket.
 *
 * Throws: `closed` when nobody does; `busy` when they do not answer within `timeoutMs`; `denied` for anything else.
 */
export async function connectSocket(options: {
  readonly path: string;
  readonly clock: Clock;
  readonly timeoutMs?: number;
}): Promise<Link> {
  const { path, clock, timeoutMs = SOCKET_LIMITS.connectMsMax } = options;
  return new Promise<Link>((resolve, reject) => {
    const socket = connect(path);
    const fail = (error: CountersignError): void => {
      cancel();
      socket.destroy();
      reject(error);
    };
    const cancel = clock.after(timeoutMs, () => fail(new CountersignError('busy', `${path} did not answer in time.`)));
    const onError = (thrown: unknown): void => fail(failure(path, thrown));
    socket.once('error', onError);
    socket.once('connect', () => {
      cancel();
      socket.off('error', onError);
      resolve(socketLink(socket));
    });
  });
}

function failure(path: string, cause: unknown): CountersignError {
  const code = codeOf(cause);
  if (code !== undefined && NOBODY.has(code)) {
    return new CountersignError('closed', `No Countersign home answers on ${path}.`, { cause });
  }
  if (code === 'EAGAIN') return new CountersignError('busy', `${path} has no room for another connection.`, { cause });
  return new CountersignError('denied', `${path} cannot be connected to: ${wordsOf(cause)}.`, { cause });
}
