import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bareInserts } from './journal-baseline.ts';
import { addHistory } from './lib/history.ts';
import { benchHome, fileName, proposeWrite, type BenchHome } from './lib/bench-home.ts';
import { p50, p99, timedUs, type Report } from './lib/figure.ts';
import type { AgentPort } from '../src/model/agent-port.ts';

const FILES = 400;
const ROUNDS = 15;
const PER_ROUND = 60;
const CALLERS = 64;
const HISTORY = 100_000;

/** What queueing costs beside one bare durable insert, and reading the overlay beside reading the file. */
export async function run(report: Report): Promise<void> {
  const empty = await benchHome({ files: FILES });
  const long = await benchHome({ files: FILES, prepare: (journal) => addHistory(journal, HISTORY) });
  try {
    await one(report, empty, long);
    await many(report, empty);
    await reads(report, empty, long);
  } finally {
    await empty.end();
    await long.end();
  }
}

/** One caller that waits for each answer: ours, a bare insert of as many bytes, and ours with a long history, in turns. */
async function one(report: Report, empty: BenchHome, long: BenchHome): Promise<void> {
  const bytes = await bytesOfOne(empty);
  const port = await empty.session('one');
  const portLong = await long.session('one');
  const ours: number[] = [];
  const oursLong: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (let i = 0; i < PER_ROUND; i++) {
      const file = (round * PER_ROUND + i) % FILES;
      const version = 1 + Math.floor((round * PER_ROUND + i) / FILES);
      ours.push(await timedUs(() => proposeWrite(port, file, version)));
      oursLong.push(await timedUs(() => proposeWrite(portLong, file, version)));
    }
    bare.push(...bareInserts({ dir: empty.stateDir, rows: PER_ROUND, bytes }).map((ns) => ns / 1000));
  }
  const besideName = `bare SQLite FULL insert of ${bytes} bytes`;
  const figure = { bench: 'propose', unit: 'us', besideName };
  report({
    ...figure,
    figure: 'p50',
    ours: p50(ours),
    beside: p50(bare),
    goal: '<= 3',
    holds: p50(ours) <= 3 * p50(bare),
  });
  report({ ...figure, figure: 'p99', ours: p99(ours), beside: p99(bare), goal: 'none', holds: true });
  report({
    ...figure,
    figure: `p50 with ${HISTORY} settled actions in history`,
    ours: p50(oursLong),
    beside: p50(ours),
    besideName: 'an empty history',
    goal: '<= 1.1',
    holds: p50(oursLong) <= 1.1 * p50(ours),
  });
}

/** 64 callers at once share commits. */
async function many(report: Report, home: BenchHome): Promise<void> {
  const ports = await Promise.all(Array.from({ length: CALLERS }, (_, i) => home.session(`many ${i}`)));
  const perCaller = 100;
  const startedAtNs = process.hrtime.bigint();
  await Promise.all(
    ports.map(async (port, caller) => {
      for (let i = 0; i < perCaller; i++) await proposeWrite(port, (caller * 7 + i) % FILES, 100 + i);
    }),
  );
  const seconds = Number(process.hrtime.bigint() - startedAtNs) / 1e9;
  const bytes = await bytesOfOne(home);
  const bare = bareInserts({ dir: home.stateDir, rows: 500, bytes });
  const barePerSecond = 1e9 / (bare.reduce((sum, ns) => sum + ns, 0) / bare.length);
  const ours = (CALLERS * perCaller) / seconds;
  report({
    bench: 'propose',
    figure: `rate with ${CALLERS} concurrent callers`,
    unit: 'per s',
    ours,
    beside: barePerSecond,
    besideName: 'bare SQLite FULL inserts, one after the other',
    goal: '>= 3000 per s',
    holds: ours >= 3000,
  });
}

/** Reading through the overlay with 1,000 pending actions, of a file that is pending and of one that is not. */
async function reads(report: Report, empty: BenchHome, long: BenchHome): Promise<void> {
  const port = await withPending(empty);
  const portLong = await withPending(long);
  const untouched = fileName(FILES - 1);
  const pending = fileName(0);
  const samples = { untouched: [] as number[], pending: [] as number[], long: [] as number[], bare: [] as number[] };
  const reading = [
    { into: samples.untouched, run: () => readThrough(port, untouched) },
    { into: samples.bare, run: () => readFile(join(empty.root, untouched), 'utf8') },
    { into: samples.pending, run: () => readThrough(port, pending) },
    { into: samples.long, run: () => readThrough(portLong, untouched) },
  ] as const;
  for (let i = 0; i < 4000; i++) {
    // Each takes every place in turn: what ran just before leaves the caches as it likes.
    for (let at = 0; at < reading.length; at++) {
      const reader = reading[(i + at * (i % 2 === 0 ? 1 : 3)) % reading.length];
      reader?.into.push(await timedUs(reader.run));
    }
  }
  const figure = { bench: 'propose', unit: 'us', besideName: 'fs.readFile', goal: '<= 1.3' };
  const bare = p50(samples.bare);
  const beside = (name: string, ours: number) =>
    report({ ...figure, figure: name, ours, beside: bare, holds: ours <= 1.3 * bare });
  beside('overlay read p50, untouched file, 1000 pending', p50(samples.untouched));
  beside('overlay read p50, pending file, 1000 pending', p50(samples.pending));
  report({
    ...figure,
    figure: `overlay read p50 with ${HISTORY} settled actions in history`,
    ours: p50(samples.long),
    beside: p50(samples.untouched),
    besideName: 'an empty history',
    goal: '<= 1.1',
    holds: p50(samples.long) <= 1.1 * p50(samples.untouched),
  });
}

/** A session with 1,000 live actions; the last file stays untouched. */
async function withPending(home: BenchHome): Promise<AgentPort> {
  const port = await home.session('reader');
  for (let i = 0; i < 1000; i++) await proposeWrite(port, i % (FILES - 1), 1000 + i);
  return port;
}

async function readThrough(port: AgentPort, path: string): Promise<void> {
  const answer = await port.call({ tool: 'read_text_file', arguments: { path }, callId: null });
  if (answer.type !== 'passthrough') throw new Error(`the bench expected a read and got ${JSON.stringify(answer)}`);
}

/** Bytes one proposal puts into the database: what the bare insert writes, too. */
async function bytesOfOne(home: BenchHome): Promise<number> {
  const port = await home.session('sized');
  const before = home.journal.head().seq;
  await proposeWrite(port, 0, 5_000 + before);
  const [row] = home.journal.rows(home.journal.head().seq, 1);
  if (row === undefined) throw new Error('the proposal left no row');
  // The event, its audit entry, the action's record (as long as the event), and the blobs: new text, old text, answer.
  const blobs = 2 * statSync(join(home.root, fileName(0))).size + 200;
  return 2 * row.event.length + row.audit.length + blobs;
}
