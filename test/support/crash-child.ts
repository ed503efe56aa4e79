/** A start of the product under faults: plays one scene, and says on its standard output what it was answered. */
import { writeSync } from 'node:fs';
import type { Journal } from '../../src/authority/ports.ts';
import { CountersignError, messageOf } from '../../src/base/errors.ts';
import { openCrashHome, type CrashHome } from './crash-home.ts';
import { NEWER_SCHEMA } from './crash-newer-schema.ts';
import { STOPPED_CODE, type ChildOrder } from './crash-order.ts';
import { openPublishingHome, type PublishingHome } from './crash-publish-home.ts';
import { planted } from './crash-plants.ts';
import { serve } from './crash-serve.ts';
import { decided, proposed, SCENE_CLASSES, settled, stand, type Said, type SceneClass } from './crash-scenes.ts';

const STDOUT = 1;
/** After a refusal by a full disk nothing moves until something is stored again: then the scene goes on. */
const STILL_MS = 500;
/** Milliseconds a window has to decide: only one that was cut off by a fault takes them. */
const DECIDED_MS = 4_000;

function say(said: Said): void {
  writeSync(STDOUT, `${JSON.stringify(said)}\n`);
}

function onFatal(error: unknown): void {
  say({ say: 'stopped', why: messageOf(error) });
  process.exit(STOPPED_CODE);
}

/** What this start was told: set once, before anything is played. */
let order: ChildOrder;

async function open(opened: (journal: Journal) => Journal = (journal) => journal): Promise<CrashHome> {
  const { ports, wrap = (journal: Journal) => journal } = planted(order.plant);
  const schema = order.scene === 'migrate' ? { schema: NEWER_SCHEMA } : {};
  const home = await openCrashHome(
    order,
    { onAlarm: (why) => say({ say: 'alarm', why }), onFatal },
    { ports: { ...ports, ...schema }, wrap: (journal) => opened(wrap(journal)) },
  );
  say({ say: 'ready' });
  return home;
}

/** A full disk cannot take even the record that this is a clean end; it ends all the same. */
async function stopped(home: CrashHome): Promise<void> {
  try {
    await home.authority.stop();
  } catch (error) {
    if (!CountersignError.is(error) || error.code !== 'full') throw error;
    say({ say: 'full', why: error.message });
  }
}

/** Two proposals, one of them refused by a person, and a clean end. */
async function accept(): Promise<void> {
  const home = await open();
  const agent = await home.agent();
  stand('one', order);
  say({ say: 'begin' });
  const first = await proposed(agent, 'E1', { name: 'one', place: order, say });
  await proposed(agent, 'E2', { name: 'two', place: order, say });
  if (first !== undefined) await decided(home, { kind: 'reject', ids: [first] }, say);
  await settled(home, say, STILL_MS);
  await stopped(home);
  say({ say: 'end' });
}

async function drain(effectClass: SceneClass): Promise<void> {
  const home = await open();
  const agent = await home.agent();
  const id = await proposed(agent, effectClass, { name: 'one', place: order, say });
  say({ say: 'begin' });
  if (id !== undefined) await decided(home, { kind: 'approve', ids: [id], body: { mode: 'rest' } }, say);
  await settled(home, say, STILL_MS);
  // Whatever was promised and is not stored yet comes now.
  await new Promise((resolve) => void setImmediate(resolve));
  say({ say: 'end' });
  // Something is stored again: what a full disk stopped goes on.
  await proposed(agent, 'E1', { name: 'after', place: order, say });
  await settled(home, say, STILL_MS);
}

async function revert(): Promise<void> {
  const home = await open();
  const agent = await home.agent();
  const id = await proposed(agent, 'E1', { name: 'one', place: order, say });
  if (id !== undefined) await decided(home, { kind: 'approve', ids: [id], body: { mode: 'rest' } }, say);
  await settled(home, say, STILL_MS);
  say({ say: 'begin' });
  if (id !== undefined) await decided(home, { kind: 'revert', ids: [id] }, say);
  await settled(home, say, STILL_MS);
  say({ say: 'end' });
  await proposed(agent, 'E1', { name: 'after', place: order, say });
  await settled(home, say, STILL_MS);
}

/** A start over whatever is there: an older journal, or what a crash has left. */
async function start(): Promise<void> {
  say({ say: 'begin' });
  const home = await open();
  await settled(home, say, STILL_MS);
  say({ say: 'end' });
  await stopped(home);
}

/** The same from where its journal is open: what a crash interrupted is looked at. */
async function settle(): Promise<void> {
  const home = await open((journal) => {
    say({ say: 'begin' });
    return journal;
  });
  await settled(home, say, STILL_MS);
  say({ say: 'end' });
}

/** Head log files that become full, and checkpoints, under proposals. */
async function rotate(): Promise<void> {
  const home = await open();
  const agent = await home.agent();
  say({ say: 'begin' });
  for (const name of ['one', 'two', 'three']) await proposed(agent, 'E2', { name, place: order, say });
  await settled(home, say, STILL_MS);
  say({ say: 'end' });
}

/** A home with a relay of its own: what a window is shown of a proposal, what it decides, and a clean end. */
async function publish(): Promise<void> {
  const home = await openPublishing();
  const agent = await home.agent();
  stand('one', order);
  say({ say: 'begin' });
  await proposed(agent, 'E1', { name: 'one', place: order, say });
  await decidedElsewhere(home);
  await settled(home, say, STILL_MS);
  // Whatever is not published yet is now, and the relay lets go of its database.
  await ended(home);
  say({ say: 'end' });
}

/** A start of such a home over what an earlier one has published. */
async function publishStart(): Promise<void> {
  say({ say: 'begin' });
  const home = await openPublishing();
  await settled(home, say, STILL_MS);
  say({ say: 'end' });
  await ended(home);
}

async function openPublishing(): Promise<PublishingHome> {
  const home = await openPublishingHome(
    order,
    { onAlarm: (why) => say({ say: 'alarm', why }), onFatal },
    planted(order.plant),
  );
  say({ say: 'ready' });
  return home;
}

/** Waits, for a bounded time, until a window's decisions have come. */
async function decidedElsewhere({ authority }: CrashHome): Promise<void> {
  for (;;) {
    const pending = authority.queue({ all: false }).filter(({ state }) => state === 'pending');
    const known = Object.fromEntries(pending.map(({ id, state }) => [id, state]));
    if (pending.length === 0 || (await authority.waitForChange({ known, timeoutMs: DECIDED_MS })).length === 0) return;
  }
}

async function ended(home: PublishingHome): Promise<void> {
  try {
    await home.stop();
  } catch (error) {
    if (!CountersignError.is(error) || error.code !== 'full') throw error;
    say({ say: 'full', why: error.message });
  }
}

/** What the scenes do, to its clean end: after it nothing has to be compiled any more. */
async function warmUp(): Promise<void> {
  const home = await openPublishingHome(order, { onAlarm: onFatal, onFatal });
  const agent = await home.agent();
  for (const effectClass of SCENE_CLASSES) {
    const id = await proposed(agent, effectClass, { name: effectClass, place: order, say: () => undefined });
    if (id === undefined) continue;
    await decided(home, { kind: 'approve', ids: [id], body: { mode: 'rest' } }, () => undefined);
    await settled(home, () => undefined, STILL_MS);
    await decided(home, { kind: 'revert', ids: [id] }, () => undefined);
    await settled(home, () => undefined, STILL_MS);
  }
  await home.stop();
}

async function play(): Promise<void> {
  switch (order.scene) {
    case 'warm-up':
      return warmUp();
    case 'accept':
      return accept();
    case 'drain-E0':
      return drain('E0');
    case 'drain-E1':
      return drain('E1');
    case 'drain-E2':
      return drain('E2');
    case 'drain-E3':
      return drain('E3');
    case 'drain-E4':
      return drain('E4');
    case 'revert':
      return revert();
    case 'settle':
      return settle();
    case 'recover':
    case 'migrate':
      return start();
    case 'rotate':
      return rotate();
    case 'publish':
      return publish();
    case 'publish-start':
      return publishStart();
  }
}

serve<ChildOrder>(async (given) => {
  order = given;
  await play();
}).then(() => process.exit(0), onFatal);
