import type { Report } from './figure.ts';
import { openPair } from './sync-pair.ts';
import { TITLES, type Side, type SideName } from './sync-side.ts';

const CHANGES = 2_000;
const GOAL_BYTES = 1024;
const ROOM = 3;

/** What crosses the wire when a device that has everything comes back: request, answers, challenge, first exchange. */
export async function reconnects(report: Report, sides: readonly Side[]): Promise<void> {
  const cost = new Map<SideName, number>();
  for (const side of sides) if (side.name !== 'echo') cost.set(side.name, await reconnect(side));
  const ours = cost.get('ours') ?? Number.NaN;
  for (const beside of ['stock', 'hocuspocus'] as const) {
    report({
      bench: 'sync',
      figure: `bytes of an up-to-date reconnect after ${CHANGES} changes`,
      unit: 'bytes',
      ours,
      beside: cost.get(beside) ?? Number.NaN,
      besideName: TITLES[beside],
      goal: `<= ${GOAL_BYTES} bytes`,
      holds: ours <= GOAL_BYTES,
    });
  }
}

async function reconnect(side: Side): Promise<number> {
  const pair = await openPair(side, ROOM);
  for (let i = 0; i < CHANGES; i++) pair.send(pair.ledger.next());
  await pair.reader.updates(pair.sent());
  await pair.reader.close();
  const before = await quiet(side);
  const again = await side.open('device', ROOM);
  const answered = again.next('step2');
  again.step1(pair.ledger.stateVector());
  await answered;
  const bytes = (await quiet(side)) - before;
  await again.close();
  await pair.close();
  return bytes;
}

/** The bytes on the wire once nothing more comes: a head, presences and a first step follow the answer. */
async function quiet(side: Side): Promise<number> {
  let last = -1;
  let now = await side.wireBytes();
  while (now !== last) {
    last = now;
    await new Promise((resolve) => setTimeout(resolve, 100));
    now = await side.wireBytes();
  }
  return now;
}
