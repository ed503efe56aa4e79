import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import * as Y from 'yjs';
import type { Published } from '../../src/authority/publish/outlet.ts';
import { fromHex } from '../../src/base/bytes.ts';
import { CountersignError } from '../../src/base/errors.ts';
import { nodeCrypto } from '../../src/crypto/node.ts';
import { JOURNAL_LIMITS, type JournalLimits } from '../../src/journal/sqlite/limits.ts';
import { openSqliteJournal } from '../../src/journal/sqlite/open.ts';
import type { DecisionKind } from '../../src/model/decision.ts';
import type { ActionId, Digest } from '../../src/model/ids.ts';
import { openHeartbeat } from '../../src/trust/heartbeat.ts';
import { imageOf, restore, type Image } from '../integration/journal-image.ts';
import { diceOf, type Dice } from './hostile-dice.ts';
import { MEMORY_FOLDER } from './memory-folder.ts';
import { LAB_HOME_KEY, LAB_PLACE, publishLab, type PublishLab } from './publish-lab.ts';
import { shelf } from './shelf-surface.ts';
import { put } from './workshop.ts';

/** Small files and many of them, so that damage meets every part of the format. */
export const HISTORY_LIMITS: JournalLimits = {
  ...JOURNAL_LIMITS,
  segmentRecords: 300,
  chunkBytes: 16 * 1024,
  reserveBytes: 4096,
  tailRows: 150,
};

/** An end of the log that somebody saw signed. */
export interface SeenEnd {
  readonly size: number;
  readonly root: Digest;
}

/** What the relay has of a log: objects by path, the open tile's document by room; and the end that devices saw. */
export interface Exported {
  readonly objects: ReadonlyMap<string, Uint8Array>;
  readonly tile: Uint8Array;
  readonly published: Published;
  readonly seen: SeenEnd;
}

/** One moment of a workspace's life: its files as a crash leaves them, and what devices saw by then. */
export interface Moment {
  readonly image: Image;
  readonly seen: SeenEnd;
}

export interface History {
  /** Halfway; at the end, with most of it in the WAL; after a shutdown, with all of it in the database file. */
  readonly middle: Moment;
  readonly crashed: Moment;
  readonly closed: Moment;
  /** Another life that began at the middle, signed by the same home. */
  readonly other: Moment;
  /** The log as it stood at the relay before the shutdown: all in the open tile. */
  readonly young: Exported;
  /** That of a longer life: with a full tile before it, when there are 110 actions or more. */
  readonly grown: Exported;
}

export function scratchFolder(name: string): string {
  return mkdtempSync(join(MEMORY_FOLDER, `countersign-${name}-`));
}

/** Actions in every state that a shelf allows, decided by two devices. */
export async function makeHistory(dir: string, actions: number, seed = 1): Promise<History> {
  const first = join(dir, 'first');
  const lab = await openLab(first, seed);
  await live(lab, diceOf(seed), actions / 2);
  const middle = await momentOf(lab, first);
  await live(lab, diceOf(seed + 1), actions / 2);
  const crashed = await momentOf(lab, first);
  const young = exportOf(lab, crashed.seen);
  await lab.authority.stop();
  const closed = { image: imageOf(first), seen: crashed.seen };
  const other = await otherLife(dir, middle, seed);
  return {
    middle,
    crashed,
    closed,
    other,
    young,
    grown: await grownLog(join(dir, 'third'), Math.ceil(2.5 * actions), seed),
  };
}

async function grownLog(dir: string, actions: number, seed: number): Promise<Exported> {
  const lab = await openLab(dir, seed);
  await live(lab, diceOf(seed), actions);
  const { seen } = await momentOf(lab, dir);
  const exported = exportOf(lab, seen);
  await lab.authority.stop();
  return exported;
}

async function otherLife(dir: string, from: Moment, seed: number): Promise<Moment> {
  const second = join(dir, 'second');
  restore(from.image, second);
  const lab = await openLab(second, seed + 2);
  await live(lab, diceOf(seed + 2), 40);
  return momentOf(lab, second);
}

function openLab(dir: string, seed: number): Promise<PublishLab> {
  return publishLab({ journal: openSqliteJournal({ dir }, { limits: HISTORY_LIMITS }), shelf: shelf(), seed });
}

async function live(lab: PublishLab, dice: Dice, actions: number): Promise<void> {
  const names = ['ada', 'ben', 'cleo', 'dov'];
  const ports = await Promise.all(names.map((name) => lab.agent(name)));
  const { hooks } = lab.world.shelf;
  hooks.beforeApply = async () => {
    if (dice.chance(0.05)) throw new Error('the answer was lost');
    return dice.chance(0.08) ? { type: 'failed', why: 'The shelf is locked.' } : undefined;
  };
  for (let n = 0; n < actions; n += 1) {
    const port = ports[dice.roll(ports.length)];
    if (port === undefined) throw new Error('every die shows an agent');
    if (dice.chance(0.1)) await port.call({ tool: 'ask', arguments: { question: `why ${n}?` }, callId: null });
    else await put(port, `note ${dice.roll(30)}`, `${n} ${'x'.repeat(dice.roll(120))}`);
    for (let more = 2; more > 0; more -= 1) await decideSomething(lab, dice);
    if (n % 4 === 0) await lab.settled();
  }
  await lab.settled();
}

const WISHES = [
  ...(['approve', 'approve', 'approve', 'approve', 'approve', 'retry', 'retry', 'revert'] as const),
  ...(['reject', 'hold', 'release', 'retract', 'settle'] as const),
] as const;

async function decideSomething(lab: PublishLab, dice: Dice): Promise<void> {
  const device = dice.chance(0.5) ? lab.phone : lab.tablet;
  // All that ever was is listed only where one of all is meant: a long life asks for it hundreds of times.
  const open = dice.chance(0.6);
  const rows = lab.authority.queue({ all: !open });
  const row = open
    ? rows.find(({ state }) => ['pending', 'failed', 'in-doubt'].includes(state))
    : rows[dice.roll(rows.length)];
  if (row === undefined) return;
  const wish = row.state === 'in-doubt' ? 'settle' : dice.pick(WISHES);
  try {
    await device.decide({ kind: wish, ids: [row.id], ...(await bodyOf(lab, wish, row.id)) });
  } catch (error) {
    // What does not fit the action is refused: that is part of a life, too.
    if (!CountersignError.is(error)) throw error;
  }
}

async function bodyOf(lab: PublishLab, kind: DecisionKind, id: ActionId) {
  if (kind === 'approve') return { body: { mode: 'rest' } };
  if (kind !== 'settle') return {};
  const attempt = Math.max(1, (await lab.authority.show(id)).action.attempts);
  return { body: { answer: attempt % 2 === 0 ? 'did-not' : 'happened', attempt } };
}

async function momentOf(lab: PublishLab, dir: string): Promise<Moment> {
  await lab.settled();
  const beat = openHeartbeat(nodeCrypto.verify, LAB_HOME_KEY, LAB_PLACE, lab.authority.heartbeat());
  if (!beat.ok) throw new Error(beat.error);
  return { image: imageOf(dir), seen: { size: beat.value.size, root: beat.value.root } };
}

function exportOf(lab: PublishLab, seen: SeenEnd): Exported {
  const { outlet, heads } = lab;
  const published = heads.at(-1);
  const room = `a/${LAB_PLACE.home}/${LAB_PLACE.workspace}/${published?.tile}`;
  const doc = outlet.rooms.get(room);
  if (published === undefined || doc === undefined) throw new Error('a log was published');
  const objects = new Map([...outlet.objects].map(([path, read]) => [path, read()] as const));
  return { objects, tile: Y.encodeStateAsUpdate(doc), published, seen };
}

export function rootOf({ root }: SeenEnd): Uint8Array {
  const bytes = fromHex(root);
  if (bytes === undefined) throw new Error('a digest is hexadecimal');
  return bytes;
}
