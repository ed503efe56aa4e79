import { equalBytes, textOf, toHex } from '../../../src/base/bytes.ts';
import { canonicalBytes } from '../../../src/base/canonical-json.ts';
import { REFERENCE_PREFIX } from '../../../src/model/reference.ts';
import { nameOf, type Invariant } from './invariant.ts';

/** 13: a receipt stands for something durable, for ever. */
export const receiptsHold: Invariant = {
  n: 13,
  says: 'A receipted decision is in every later journal state, and no receipt comes before durability',
  onReceipt: (scene, { hash, refused }) => {
    if (refused !== null) return undefined;
    const taken = scene.chronicle.decisions.get(hash);
    if (taken === undefined) return `decision ${hash.slice(0, 8)} has a receipt and is not in the journal`;
    return scene.disk.heads[taken.seq - 1]?.state === 'whole'
      ? undefined
      : `decision ${hash.slice(0, 8)} had a receipt before row ${taken.seq} was durable`;
  },
  whole: (scene) => {
    const lost = scene.receipts.find(({ hash, refused }) => {
      const seq = scene.chronicle.decisions.get(hash)?.seq;
      return refused === null && (seq === undefined || scene.disk.rows[seq - 1]?.kind !== 'decision-taken');
    });
    return lost && `decision ${lost.hash.slice(0, 8)} had a receipt and is gone`;
  },
};

/** 15: one audit entry a transition, about the action the event is about. */
export const everyStepAudited: Invariant = {
  n: 15,
  says: 'Every transition has one audit entry',
  onRow: (_scene, event, row) => {
    if (row.kind !== event.kind) return `row ${row.seq} is a ${row.kind} in the log and a ${event.kind} in the journal`;
    const { seq, n } = JSON.parse(textOf(row.audit) ?? '{}') as { readonly seq?: number; readonly n?: number };
    if (seq !== row.seq) return `the audit entry of row ${row.seq} says ${String(seq)}`;
    return 'action' in event && event.n !== n ? `the audit entry of row ${row.seq} is about #${String(n)}` : undefined;
  },
  whole: (scene) => scene.chronicle.broken[0],
};

/** 16: one authority at a time, and its fence never falls. */
export const oneAuthority: Invariant = {
  n: 16,
  says: 'At most one authority per workspace passes the boot gate, and fences never decrease',
  onRow: (scene, event) => {
    if (event.kind !== 'started') return undefined;
    if (scene.running > 1) return `${scene.running} homes run on one workspace`;
    return event.fence < scene.chronicle.fence ? `fence ${event.fence} follows ${scene.chronicle.fence}` : undefined;
  },
};

/** 17: what was rejected is not read any more. */
export const noGhostReads: Invariant = {
  n: 17,
  says: 'No overlay read made after its rejection returns the effect of a rejected action',
  onRead: (scene, { text, askedSeq }) => {
    if (text === '' || [...scene.world.notes.values()].includes(text)) return undefined;
    const makers = [...scene.chronicle.actions.values()].filter(({ action }) => action.content.effect['text'] === text);
    const alive = makers.some(({ endedSeq }) => endedSeq === undefined || endedSeq > askedSeq);
    const [ghost] = makers;
    return ghost === undefined || alive ? undefined : `a read answered what ${nameOf(ghost.action)} would have written`;
  },
};

/** 18: no secret leaves the runtime. */
export const noSecrets: Invariant = {
  n: 18,
  says: 'No unresolved reference and no secret value leaves the runtime',
  onAnswer: (scene, text) => leaked(scene.household.secrets, text) && 'an agent was told a content key',
  onCall: (scene, call) =>
    (leaked(scene.household.secrets, JSON.stringify(call.content)) && 'a surface was given a content key') ||
    (JSON.stringify(call.content.effect).includes(REFERENCE_PREFIX)
      ? 'a surface was given a name of something that is still to be made'
      : undefined),
};

function leaked(secrets: readonly { readonly secret: Uint8Array }[], text: string): string | undefined {
  return secrets.map(({ secret }) => toHex(secret)).find((hex) => text.includes(hex));
}

/** 23: the tables equal a rebuild from the rows. */
export const tablesEqualRows: Invariant = {
  n: 23,
  says: 'Records equal a rebuild from the journal',
  onAction: (scene, { action }) => {
    const record = scene.disk.table('action').get(action.id);
    if (record === undefined) return `${nameOf(action)} has no record`;
    return equalBytes(record.value, canonicalBytes(action))
      ? undefined
      : `the record of ${nameOf(action)} differs from its rows`;
  },
  whole: (scene) => {
    const strays = scene.disk.table('action').size - scene.chronicle.actions.size;
    return strays === 0 ? undefined : `the journal has ${strays} more actions in its table than in its rows`;
  },
};
