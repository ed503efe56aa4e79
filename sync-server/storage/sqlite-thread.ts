import { parentPort, workerData } from 'node:worker_threads';
import type { Database } from 'better-sqlite3';
import { assert, unreachable } from '../../src/base/assert.ts';
import { CountersignError, messageOf } from '../../src/base/errors.ts';
import { checkpoint, closeDatabase } from './sqlite-checkpoint.ts';
import { codeOf, openDatabase } from './sqlite-schema.ts';
import { tablesOf, type Tables } from './sqlite-tables.ts';
import type { ThreadAnswer, ThreadRequest } from './thread-messages.ts';

/** Bytes written after which the WAL is moved into the database: SQLite's own measure, a thousand pages. */
const CHECKPOINT_BYTES = 4 * 1024 * 1024;

// The thread that owns the database: a commit waits for the disk here, and nobody else waits with it.
const port = parentPort;
assert(port !== null, 'the store is a thread of its own');
const opened = attempt(() => openDatabase(String(workerData)));
port.postMessage(opened.ok ? ({ ok: true, value: undefined } satisfies ThreadAnswer) : opened);
if (opened.ok) serve(opened.value);

function serve(database: Database): void {
  const tables = tablesOf(database);
  let written = 0;
  port?.on('message', (request: ThreadRequest) => {
    const answer = attempt(() => carryOut(database, tables, request));
    // reason: a batch's bytes have an ArrayBuffer of their own; it goes back with the answer
    port?.postMessage(answer, request.do === 'append' && answer.ok ? [request.batch.bytes.buffer as ArrayBuffer] : []);
    if (request.do === 'close') return port?.close();
    written += bytesIn(request);
    if (written < CHECKPOINT_BYTES) return;
    written = 0;
    checkpoint(database);
  });
}

function carryOut(database: Database, tables: Tables, request: ThreadRequest): unknown {
  switch (request.do) {
    case 'append':
      tables.append(request.batch);
      return request.batch.bytes;
    case 'load':
      return tables.load(request.room);
    case 'compact':
      return tables.compact(request.room, request.state);
    case 'drop':
      return tables.drop(request.room);
    case 'roomsOf':
      return tables.roomsOf(request.owner);
    case 'heads':
      return tables.heads();
    case 'putHead':
      return tables.putHead(request.head);
    case 'putObject':
      return tables.putObject(request.path, request.owner, request.bytes);
    case 'object':
      return tables.object(request.path);
    case 'dropObject':
      return tables.dropObject(request.path);
    case 'totals':
      return tables.totals();
    case 'wipe':
      return tables.wipe();
    case 'close':
      return closeDatabase(database);
    default:
      return unreachable(request);
  }
}

function bytesIn(request: ThreadRequest): number {
  if (request.do === 'append') return request.batch.ends.at(-1) ?? 0;
  if (request.do === 'compact') return request.state.length;
  return request.do === 'putObject' ? request.bytes.length : 0;
}

type Attempt<T> = { readonly ok: true; readonly value: T } | Extract<ThreadAnswer, { readonly ok: false }>;

function attempt<T>(work: () => T): Attempt<T> {
  try {
    return { ok: true, value: work() };
  } catch (thrown) {
    const { code, message } = failureOf(thrown);
    return { ok: false, code, message };
  }
}

function failureOf(thrown: unknown): CountersignError {
  if (CountersignError.is(thrown)) return thrown;
  if (codeOf(thrown) === 'SQLITE_FULL')
    return new CountersignError('full', 'The disk of the relay is full.', { cause: thrown });
  return new CountersignError('storage', `The relay's store failed: ${messageOf(thrown)}.`, { cause: thrown });
}
