import type { Report } from './figure.ts';
import { openPair } from './sync-pair.ts';
import { startSide, TITLES, type SideName } from './sync-side.ts';

const CHANGES = 2_000;
const GOAL_BYTES = 1024;
const ROOM = 0;

interface Cost {
  /** Messages of the document: what grows with it, were anything amiss. */
  readonly messages: number;
  /** All messages after the upgrade. */
  readonly socket: number;
  /** All that crosses the wire: the challenge, the upgrade with its proof, and those messages. */
  readonly wire: number;
}

/** What it costs that a device which has everything comes back to a document that was changed many times. */
export async function reconnects(report: Report, folder: (name: string) => string): Promise<void> {
  const cost = async (name: SideName): Promise<Cost> => {
    const side = await startSide(name, folder(`${name}-reconnect`), 1);
    try {
      const pair = await openPair(side, ROOM);
      for (let i = 0; i < CHANGES; i++) pair.send(pair.ledger.next());
      await pair.arrived(pair.sent());
      await pair.reader.close();
      const before = await quiet(() => side.wireBytes());
      const again = await side.open('device', ROOM);
      const answered = again.next('step2');
      again.step1(pair.ledger.stateVector());
      await answered;
      const wire = (await quiet(() => side.wireBytes())) - before;
      const messages = again.documentBytes;
      const socket = again.allBytes;
      await again.close();
      await pair.close();
      return { messages, socket, wire };
    } finally {
      await side.end();
    }
  };
  const ours = await cost('ours');
  for (const name of ['stock', 'hocuspocus'] as const) {
    const theirs = await cost(name);
    const figure = { bench: 'sync', unit: 'bytes', besideName: TITLES[name] };
    report({
      ...figure,
      figure: `up-to-date reconnect after ${CHANGES} changes, messages of the document`,
      ours: ours.messages,
      beside: theirs.messages,
      goal: `<= ${GOAL_BYTES} bytes`,
      holds: ours.messages <= GOAL_BYTES,
    });
    report({
      ...figure,
      figure: 'the same, everything on the socket after the upgrade',
      ours: ours.socket,
      beside: theirs.socket,
      goal: `<= ${GOAL_BYTES} bytes`,
      holds: ours.socket <= GOAL_BYTES,
    });
    report({
      ...figure,
      figure: 'the same with HTTP: challenge, upgrade and proof',
      ours: ours.wire,
      beside: theirs.wire,
      goal: 'none',
      holds: true,
    });
  }
}

/** The bytes on the wire once nothing more comes: what is pushed to a new socket follows the answer. */
async function quiet(bytesNow: () => Promise<number>): Promise<number> {
  let last = -1;
  let now = await bytesNow();
  while (now !== last) {
    last = now;
    await new Promise((resolve) => setTimeout(resolve, 100));
    now = await bytesNow();
  }
  return now;
}
