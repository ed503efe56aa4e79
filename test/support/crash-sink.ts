/**
 * The outside world of the crash proofs, in a process of its own: it counts what reached it, by idempotency key, and goes
 * on when the sender is killed. `keyed` does a key once however often it is asked; `message` and `blind` do as they are told.
 */
import { createServer, type IncomingMessage } from 'node:http';
import { writeSync } from 'node:fs';
import type { AddressInfo } from 'node:net';

/** What became of one idempotency key. */
export interface SinkEntry {
  readonly name: string;
  effects: number;
  undone: number;
}

const STDOUT = 1;
const places = new Map<string, Map<string, SinkEntry>>();
const waiting: (() => void)[] = [];
let connections = 0;

const server = createServer((request, response) => {
  const answer = (value: unknown): void => void response.end(JSON.stringify(value));
  request.resume();
  request.on('end', () => {
    if (request.url === '/quiet') whenQuiet(() => answer({}));
    else answer(handle(request));
  });
});

/** Other people's connections are closed: nothing that a dead sender had on its way can still arrive. */
function whenQuiet(run: () => void): void {
  if (connections <= 1) run();
  else waiting.push(run);
}

function handle({ method, url }: IncomingMessage): unknown {
  const [, verb, place = '', kind, key = '', name = ''] = (url ?? '').split('/').map(decodeURIComponent);
  const entries = places.get(place) ?? new Map<string, SinkEntry>();
  places.set(place, entries);
  if (verb === 'copy') {
    // The world as a template knows it: every case begins with one of its own.
    const from = places.get(kind ?? '') ?? new Map<string, SinkEntry>();
    places.set(place, new Map([...from].map(([known, entry]) => [known, { ...entry }])));
    return {};
  }
  if (verb === 'all') {
    if (method === 'DELETE') places.delete(place);
    return Object.fromEntries(entries);
  }
  const entry = entries.get(key) ?? { name, effects: 0, undone: 0 };
  if (verb === 'do') {
    if (kind !== 'keyed' || entry.effects === 0) entry.effects += 1;
    entries.set(key, entry);
  }
  // An undo is keyed, too: asked again it finds nothing to undo.
  if (verb === 'undo' && entry.undone < entry.effects) entry.undone += 1;
  return entry;
}

server.on('connection', (socket) => {
  connections += 1;
  socket.on('close', () => {
    connections -= 1;
    if (connections <= 1) for (const run of waiting.splice(0)) run();
  });
});
// Whoever started it holds the other end: a sink does not outlive its test.
process.stdin.resume();
process.stdin.on('end', () => process.exit(0));
server.listen(0, '127.0.0.1', () => {
  // reason: a server that listens on TCP has such an address
  const { port } = server.address() as AddressInfo;
  writeSync(STDOUT, `${JSON.stringify({ port })}\n`);
});
