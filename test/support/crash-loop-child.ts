/** The product under load until it is killed: proposes, decides and takes back, and says what it was answered. */
import { writeSync } from 'node:fs';
import { messageOf } from '../../src/base/errors.ts';
import type { AgentPort } from '../../src/model/agent-port.ts';
import type { ActionId } from '../../src/model/ids.ts';
import { seededRandom } from '../../src/testing/seeded-random.ts';
import { openCrashHome, type CrashHome } from './crash-home.ts';
import { STOPPED_CODE, type LoopOrder } from './crash-order.ts';
import { planted } from './crash-plants.ts';
import { serve } from './crash-serve.ts';
import { decided, proposed, SCENE_CLASSES, settled, type Said, type SceneClass } from './crash-scenes.ts';

const STDOUT = 1;
/** Actors at once: commits of several share a flush, as they do in life. */
const ACTORS = 3;
/** Milliseconds in which an effect has moved. */
const STILL_MS = 2_000;

function say(said: Said): void {
  writeSync(STDOUT, `${JSON.stringify(said)}\n`);
}

function onFatal(error: unknown): void {
  say({ say: 'stopped', why: messageOf(error) });
  process.exit(STOPPED_CODE);
}

/** What this start was told, and its dice: set once, before anything is played. */
let order: LoopOrder;
let dice: ReturnType<typeof seededRandom>;
const roll = (sides: number): number => (dice.bytes(1)[0] ?? 0) % sides;
/** A reject is one of ten, and one of four of what was applied is taken back. */
const wishes = { reject: () => roll(10) === 0, revert: () => roll(4) === 0, leave: () => roll(10) === 0 };

async function act(home: CrashHome, agent: AgentPort, actor: number): Promise<void> {
  for (let count = 0; count < (order.turns ?? Infinity); count += 1) {
    // reason: an index below the length
    const effectClass = SCENE_CLASSES[roll(SCENE_CLASSES.length)] as SceneClass;
    const name = `c${order.seed}-${actor}-${count}`;
    const id = await proposed(agent, effectClass, { name, place: order, say });
    if (id === undefined || wishes.leave()) continue;
    await decideAbout(home, id);
  }
}

async function decideAbout(home: CrashHome, id: ActionId): Promise<void> {
  if (wishes.reject()) return decided(home, { kind: 'reject', ids: [id] }, say);
  await decided(home, { kind: 'approve', ids: [id], body: { mode: 'rest' } }, say);
  if (!wishes.revert()) return;
  await home.authority.waitForChange({ known: { [id]: 'approved' }, timeoutMs: STILL_MS });
  await home.authority.waitForChange({ known: { [id]: 'applying' }, timeoutMs: STILL_MS });
  const state = home.authority.queue({ all: true }).find((row) => row.id === id)?.state;
  if (state === 'applied') await decided(home, { kind: 'revert', ids: [id] }, say);
}

async function live(): Promise<void> {
  const home = await openCrashHome(
    order,
    { onAlarm: (why) => say({ say: 'alarm', why }), onFatal },
    planted(order.plant),
  );
  say({ say: 'ready' });
  // What earlier starts left undecided is decided now.
  for (const { id, state } of home.authority.queue({ all: false }))
    if (state === 'pending') await decided(home, { kind: 'approve', ids: [id], body: { mode: 'rest' } }, say);
  const agent = await home.agent();
  await Promise.all(Array.from({ length: ACTORS }, (_, actor) => act(home, agent, actor)));
  await settled(home, say, STILL_MS);
  await home.authority.stop();
}

serve<LoopOrder>(async (given) => {
  order = given;
  dice = seededRandom(order.seed);
  await live();
}).then(() => process.exit(0), onFatal);
