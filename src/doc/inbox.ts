import type * as Y from 'yjs';
import { concat, utf8 } from '../base/bytes.ts';
import { messageOf } from '../base/errors.ts';
import type { Random } from '../base/random.ts';
import { ok } from '../base/result.ts';
import type { Crypto, Lock } from '../crypto/ports.ts';
import { DECISION_LIMITS } from '../model/decision.ts';
import { parseWorkspaceId, type WorkspaceId } from '../model/ids.ts';
import type { SignedText } from '../model/signed-text.ts';
import { Cursor, varUint } from './cursor.ts';
import type { ContentKey, KeyRing } from './keys.ts';
import { ROOT } from './schema.ts';
import type { SharedDoc } from './shared-doc.ts';
import { fromSignedBytes, SIGNATURE_BYTES, toSignedBytes } from './signed-bytes.ts';
import { damaged, noKey, TOO_NEW, type Readable } from './unreadable.ts';

/** A decision's place in an inbox: `<workspace>:<n>`. */
export interface InboxKey {
  readonly workspace: WorkspaceId;
  readonly n: number;
}

const VERSION = 1;
const NONCE_BYTES = 24;
const SEALED_BYTES_MAX = DECISION_LIMITS.bytesMax + SIGNATURE_BYTES + 16;

export function inboxKey({ n, workspace }: InboxKey): string {
  return `${workspace}:${n}`;
}

export function parseInboxKey(text: string): InboxKey | undefined {
  const [id, digits, ...rest] = text.split(':');
  const workspace = parseWorkspaceId(id);
  if (!workspace.ok || rest.length > 0 || digits === undefined || !/^[1-9]\d{0,15}$/.test(digits)) return undefined;
  const n = Number(digits);
  return Number.isSafeInteger(n) ? { workspace: workspace.value, n } : undefined;
}

/** A signed decision as it stands in an inbox: sealed for who may read its workspace, good in this place alone. */
export function sealInboxEntry(
  by: { readonly seal: Crypto['seal']; readonly random: Random },
  name: string,
  key: ContentKey,
  at: InboxKey,
  signed: SignedText,
): Uint8Array {
  const nonce = by.random.bytes(NONCE_BYTES);
  const sealed = by.seal.seal(lockOf(name, key, at, nonce), toSignedBytes(signed));
  return concat(Uint8Array.of(VERSION), varUint(key.gen), nonce, sealed);
}

/** The signed text in an entry. Whose it is, and whether it is the decision of its place, `openDecision` says. */
export function openInboxEntry(
  seal: Crypto['seal'],
  name: string,
  keys: KeyRing,
  at: InboxKey,
  bytes: Uint8Array,
): Readable<SignedText> {
  const cursor = new Cursor(bytes);
  const version = cursor.byte();
  if (version !== VERSION) return version === undefined ? damaged('A decision is empty.') : TOO_NEW;
  const gen = cursor.varUint();
  const nonce = cursor.take(NONCE_BYTES);
  const sealed = cursor.rest();
  if (gen === undefined || nonce === undefined || sealed.length > SEALED_BYTES_MAX)
    return damaged('A decision has no whole envelope.');
  const key = keys.of(gen);
  if (key === undefined) return noKey(gen);
  const plain = seal.open(lockOf(name, key, at, nonce), sealed);
  const signed = plain && fromSignedBytes(plain);
  return signed === undefined ? damaged('A decision does not open with its key.') : ok(signed);
}

/** A device's own inbox. Its document is the connected one: what is put here has been saved before. */
export class InboxAuthor {
  readonly #doc: Y.Doc;
  readonly #decisions: Y.Map<unknown>;
  readonly #by: { readonly seal: Crypto['seal']; readonly random: Random };
  /** The room's whole name, `d/<home>/<device>`. */
  readonly #name: string;

  constructor(
    doc: SharedDoc,
    options: { readonly seal: Crypto['seal']; readonly random: Random; readonly name: string },
  ) {
    this.#doc = doc;
    this.#decisions = doc.getMap(ROOT.inbox);
    this.#by = options;
    this.#name = options.name;
  }

  /** Puts a decision in its place, unless it is there already. */
  put(keys: KeyRing, at: InboxKey, signed: SignedText): void {
    const there = this.#decisions.get(inboxKey(at));
    const opened = there instanceof Uint8Array && openInboxEntry(this.#by.seal, this.#name, keys, at, there);
    if (opened !== false && opened.ok && opened.value.payload === signed.payload) return;
    this.#decisions.set(inboxKey(at), sealInboxEntry(this.#by, this.#name, keys.newest, at, signed));
  }

  /** Takes out what the home has receipted: every decision of a workspace up to `through`. */
  prune(workspace: WorkspaceId, through: number): void {
    const gone = [...this.#decisions.keys()].filter((text) => {
      const at = parseInboxKey(text);
      return at?.workspace === workspace && at.n <= through;
    });
    if (gone.length === 0) return;
    this.#doc.transact(() => {
      for (const key of gone) this.#decisions.delete(key);
    });
  }
}

/** Someone's inbox as it arrives. Nothing in it makes it throw; what is no decision is counted. */
export class InboxReader {
  readonly #decisions: Y.Map<unknown>;
  readonly #seal: Crypto['seal'];
  readonly #name: string;
  readonly #listeners = new Set<(changed: ReadonlySet<WorkspaceId>) => void>();
  readonly #observer = (event: Y.YMapEvent<unknown>): void => this.#tell(event);
  /** What was opened is not opened again: an inbox is looked at with every change of it, and may hold thousands. */
  readonly #opened = new WeakMap<Uint8Array, Readable<SignedText>>();
  #broken: string | undefined;

  constructor(doc: SharedDoc, options: { readonly seal: Crypto['seal']; readonly name: string }) {
    this.#decisions = doc.getMap(ROOT.inbox);
    this.#seal = options.seal;
    this.#name = options.name;
    this.#decisions.observe(this.#observer);
  }

  /** Numbers of a workspace's decisions that are here, lowest first. Gaps are what is still on its way. */
  numbers(workspace: WorkspaceId): readonly number[] {
    const found = [...this.#decisions.keys()].flatMap((text) => parseInboxKey(text) ?? []);
    return found.flatMap((at) => (at.workspace === workspace ? [at.n] : [])).toSorted((a, b) => a - b);
  }

  /** One decision, as the same object each time; `undefined` when it is not here. */
  open(keys: KeyRing, at: InboxKey): Readable<SignedText> | undefined {
    const bytes = this.#decisions.get(inboxKey(at));
    if (bytes === undefined) return undefined;
    if (!(bytes instanceof Uint8Array)) return damaged('A decision is no bytes.');
    const known = this.#opened.get(bytes);
    if (known !== undefined) return known;
    const opened = openInboxEntry(this.#seal, this.#name, keys, at, bytes);
    // A key that is missing may come.
    if (opened.ok || opened.error.reason !== 'no-key') this.#opened.set(bytes, opened);
    return opened;
  }

  /** Members that no device of ours puts there: wrong names, other types. */
  get malformed(): number {
    return [...this.#decisions.entries()].filter(
      ([text, value]) => parseInboxKey(text) === undefined || !(value instanceof Uint8Array),
    ).length;
  }

  /** Why it can no longer be followed; `undefined` while it can. */
  get broken(): string | undefined {
    return this.#broken;
  }

  /** Runs after each transaction with the workspaces in which something came or went. Answers how to end it. */
  onChange(listener: (changed: ReadonlySet<WorkspaceId>) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  destroy(): void {
    this.#decisions.unobserve(this.#observer);
    this.#listeners.clear();
  }

  #tell(event: Y.YMapEvent<unknown>): void {
    try {
      const changed = new Set([...event.keysChanged].flatMap((text) => parseInboxKey(String(text))?.workspace ?? []));
      for (const listener of this.#listeners) listener(changed);
    } catch (thrown) {
      // Whatever it was: an exception in a handler of Yjs would leave the document silent for good.
      this.#broken ??= messageOf(thrown);
    }
  }
}

function lockOf(name: string, key: ContentKey, at: InboxKey, nonce: Uint8Array): Lock {
  return { key: key.inbox, nonce, aad: utf8(`${name}|${inboxKey(at)}|0|${key.gen}`) };
}
