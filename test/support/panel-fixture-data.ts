import { interpretCard, type CardTemplate } from '../../src/model/card.ts';
import type { ActionContent, BlobRef } from '../../src/model/content.ts';
import type { ActionId, Digest, SessionId, WorkspaceId } from '../../src/model/ids.ts';
import type { LedgerAction, LedgerSession } from '../../src/model/ledger.ts';
import type { Detail } from '../../src/replica/types.ts';
import { FILE_CARDS } from '../../src/surfaces/files/cards.ts';

/** One action as the fixture keeps it: what the ledger says, and what its card is made of. */
export interface Made {
  readonly record: LedgerAction;
  readonly detail: Detail;
}

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';

/** Ids of the right shape, counted instead of thrown. */
export function idOf<T extends string>(prefix: string, number: number): T {
  const tail = number
    .toString(32)
    .padStart(6, '0')
    .split('')
    .map((digit) => BASE32[Number.parseInt(digit, 32)])
    .join('');
  // reason: the shape is what the brand stands for
  return `${prefix}-${'a'.repeat(20)}${tail}` as T;
}

export function hashOf(number: number): Digest {
  // reason: the shape is what the brand stands for
  return number.toString(16).padStart(64, '0') as Digest;
}

/** Bytes by hash, as a relay would hold them. */
export class Blobs {
  readonly #bytes = new Map<Digest, Uint8Array>();
  readonly #known = new Map<string, BlobRef>();

  put(content: string | Uint8Array): BlobRef {
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
    // The same bytes have the same hash, as everywhere.
    const key = typeof content === 'string' ? content : bytes.join();
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const made = { $blob: hashOf(0xb10b0000 + this.#bytes.size), bytes: bytes.length };
    this.#bytes.set(made.$blob, bytes);
    this.#known.set(key, made);
    return made;
  }

  get(hash: Digest): Promise<Uint8Array> {
    const bytes = this.#bytes.get(hash);
    return bytes === undefined ? Promise.reject(new Error('The relay has not got it.')) : Promise.resolve(bytes);
  }
}

export interface Place {
  readonly workspace: WorkspaceId;
  readonly session: SessionId;
  readonly turn: number;
  readonly seq: number;
  readonly atMs: number;
}

const NO_SEQS = { ranges: [], more: false } as const;

/** An action around its content. `over` is what differs from an undecided, harmless one. */
function make(
  place: Place,
  content: Pick<ActionContent, 'kind' | 'tool' | 'arguments' | 'effect'>,
  template: CardTemplate | null,
  blobs: Blobs,
  over: Partial<LedgerAction> = {},
): Made {
  const reversible = over.reversible ?? true;
  const whole: ActionContent = {
    v: 1,
    workspace: place.workspace,
    toolDigest: hashOf(1),
    preconditions: [],
    writes: [],
    effectClass: over.effectClass ?? 'E1',
    reversible,
    awaitDecision: false,
    lane: null,
    ...content,
  };
  const card = interpretCard(template, whole);
  const record: LedgerAction = {
    v: 1,
    rev: 1,
    type: 'action',
    id: idOf<ActionId>('a', place.seq + parity(place.workspace)),
    seq: place.seq,
    place: place.seq,
    lane: place.session,
    state: 'pending',
    title: card.title,
    target: card.target,
    digest: hashOf(0xd000 + place.seq),
    kind: content.kind.tag,
    tool: content.tool,
    effectClass: 'E1',
    reversible,
    awaitDecision: false,
    inspectable: card.inspectable,
    verdict: { autoApprovable: false, reason: '' },
    session: place.session,
    root: place.session,
    turn: place.turn,
    proposedAtMs: place.atMs,
    changedAtMs: place.atMs,
    attention: null,
    attentionEntry: null,
    why: null,
    needs: NO_SEQS,
    saw: NO_SEQS,
    holds: [],
    by: null,
    because: null,
    reason: null,
    remark: null,
    attempts: 0,
    mayHappenTwice: false,
    contradicted: false,
    revertable: null,
    graceUntilMs: null,
    file: { $blob: hashOf(2), bytes: 900 },
    ...over,
  };
  const reversibleWhy = reversible ? 'The file is put back as it was.' : 'Nobody can take back what was sent.';
  return {
    record,
    detail: { type: 'card', card, content: whole, reversibleWhy, blob: (hash) => blobs.get(hash) },
  };
}

function parity(workspace: WorkspaceId): number {
  return workspace.endsWith('b') ? 500_000 : 0;
}

export interface Write {
  readonly path: string;
  readonly before: string | Uint8Array | null;
  readonly after: string | Uint8Array;
  readonly mode?: number;
  readonly modeBefore?: number;
}

export function writeFile(place: Place, blobs: Blobs, write: Write, over: Partial<LedgerAction> = {}): Made {
  const before =
    write.before === null
      ? { type: 'absent' as const }
      : { type: 'file' as const, content: { ...blobs.put(write.before) }, mode: write.modeBefore ?? 0o644 };
  const after = { type: 'file' as const, content: { ...blobs.put(write.after) }, mode: write.mode ?? 0o644 };
  const edit = write.before !== null;
  return make(
    place,
    {
      kind: { tag: 'file.write', label: 'Write a file' },
      tool: edit ? 'edit_file' : 'write_file',
      arguments: { path: write.path },
      effect: { op: 'write', path: write.path, before, after },
    },
    edit ? FILE_CARDS.edit : FILE_CARDS.write,
    blobs,
    over,
  );
}

export function otherFile(
  place: Place,
  blobs: Blobs,
  effect: ActionContent['effect'] & { readonly op: 'move' | 'mkdir' | 'delete' },
  over: Partial<LedgerAction> = {},
): Made {
  return make(
    place,
    {
      kind: { tag: `file.${effect.op}`, label: effect.op },
      tool: effect.op === 'move' ? 'move_file' : effect.op,
      arguments: {},
      effect,
    },
    FILE_CARDS[effect.op],
    blobs,
    over,
  );
}

/** A call of a tool that has no card: raw arguments. */
export function toolCall(
  place: Place,
  blobs: Blobs,
  tool: string,
  args: ActionContent['arguments'],
  over: Partial<LedgerAction> = {},
): Made {
  const content = { kind: { tag: 'mcp.call', label: 'Call a tool' }, tool, arguments: args, effect: args };
  return make(place, content, null, blobs, { effectClass: 'E4', ...over });
}

const MESSAGE_CARD: CardTemplate = {
  title: 'Send to {0}',
  target: 'To',
  fields: [
    { label: 'To', pointer: '/arguments/to', as: 'recipient' },
    { label: 'Message', pointer: '/arguments/text', as: 'text' },
  ],
};

export function message(
  place: Place,
  blobs: Blobs,
  args: { readonly to: string; readonly text: string },
  over: Partial<LedgerAction> = {},
): Made {
  const content = { kind: { tag: 'message.send', label: 'Send' }, tool: 'send_message', arguments: args, effect: args };
  return make(place, content, MESSAGE_CARD, blobs, { reversible: false, effectClass: 'E3', ...over });
}

export function session(number: number, over: Partial<LedgerSession> = {}): LedgerSession {
  return {
    v: 1,
    rev: 1,
    type: 'session',
    id: idOf<SessionId>('s', number),
    client: 'claude-code',
    name: null,
    level: 'advisory',
    connected: true,
    openedAtMs: 0,
    wakes: false,
    nearlyFull: null,
    ...over,
  };
}

/** `count` lines of something that looks like a program; `salt` makes some of them differ. */
export function program(count: number, salt = ''): string {
  return Array.from({ length: count }, (_, at) =>
    at % 7 === 3 && salt !== ''
      ? `  const total${at} = sum(rows.slice(${at}), '${salt}');\n`
      : `  const value${at} = compute(${at}, options.seed);\n`,
  ).join('');
}
