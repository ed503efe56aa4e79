import { fromHex } from '../../base/bytes.ts';
import type { Cancel } from '../../base/clock.ts';
import type { RosterEntry } from '../../access/head.ts';
import { InboxReader } from '../../doc/inbox.ts';
import type { KeyRing } from '../../doc/keys.ts';
import { newDoc, type SharedDoc } from '../../doc/shared-doc.ts';
import type { Decision } from '../../model/decision.ts';
import type { DeviceId, Digest, WorkspaceId } from '../../model/ids.ts';
import type { SignedText } from '../../model/signed-text.ts';
import type { LinkState, RoomLink } from '../../sync/contract.ts';
import { roomName } from '../../sync/room.ts';
import { decisionHash, openDecision } from '../../trust/decision.ts';
import type { Core } from '../core.ts';
import { REPLICA_LIMITS } from '../limits.ts';
import type { CachedDoc } from '../ports.ts';
import type { Alarm } from '../types.ts';

/** A decision from somebody's inbox that this device's key signed. */
export interface ReadDecision {
  readonly device: DeviceId;
  readonly n: number;
  readonly hash: Digest;
  readonly decision: Decision;
}

interface InboxOptions {
  readonly member: RosterEntry;
  readonly keysOf: (workspace: WorkspaceId) => KeyRing | undefined;
  /** What this device decided in a workspace is something else now. */
  readonly changed: (workspace: WorkspaceId) => void;
}

/**
 * Another device's inbox, so that what was decided there shows here while the runtime sleeps (PN-1). Nothing of it is
 * shown before its signature is checked, and it decides nothing: the runtime does.
 */
export class InboxFollower {
  readonly #core: Core;
  readonly #options: InboxOptions;
  readonly #publicKey: Uint8Array;
  readonly #doc: SharedDoc = newDoc();
  readonly #reader: InboxReader;
  readonly #cached: CachedDoc;
  readonly #ends: Cancel[] = [];
  readonly #read = new Map<WorkspaceId, ReadonlyMap<number, ReadDecision & SignedText>>();
  readonly #waiting = new Set<WorkspaceId>();
  /** What stands there and is not its device's word, as the reader gives it out: looked at once. */
  readonly #foreign = new WeakSet<SignedText>();
  readonly #accused: Alarm[] = [];
  #reading = false;
  #closed = false;
  #link: RoomLink | undefined;

  constructor(core: Core, options: InboxOptions) {
    const { device, publicKey } = options.member;
    this.#core = core;
    this.#options = options;
    this.#publicKey = fromHex(publicKey) ?? new Uint8Array(0);
    const room = roomName({ kind: 'inbox', home: core.home, device });
    this.#reader = new InboxReader(this.#doc, { seal: core.crypto.seal, name: room });
    this.#ends.push(this.#reader.onChange((workspaces) => this.look(workspaces)));
    this.#cached = core.cache.attach(room, this.#doc);
    core.run(async () => {
      await this.#cached.loaded;
      if (this.#closed) return;
      this.#link = core.client.join({ room, doc: this.#doc, role: 'reader' });
    });
  }

  get member(): RosterEntry {
    return this.#options.member;
  }

  link(): LinkState | undefined {
    return this.#link?.state();
  }

  decisions(workspace: WorkspaceId): Iterable<ReadDecision> {
    return this.#read.get(workspace)?.values() ?? [];
  }

  /** Reads these workspaces' decisions anew: some came or went, or there are keys now. */
  look(workspaces: Iterable<WorkspaceId>): void {
    for (const workspace of workspaces) this.#waiting.add(workspace);
    if (this.#reading || this.#waiting.size === 0) return;
    this.#reading = true;
    this.#core.run(async () => {
      for (let next = first(this.#waiting); next !== undefined && !this.#closed; next = first(this.#waiting)) {
        this.#waiting.delete(next);
        await this.#readAll(next);
      }
      this.#reading = false;
    });
  }

  reconnect(): void {
    this.#link?.reconnect();
  }

  close(options: { readonly forget: boolean }): void {
    this.#closed = true;
    for (const end of this.#ends) end();
    this.#link?.close();
    this.#reader.destroy();
    this.#cached.close();
    this.#doc.destroy();
    for (const { kind, sentence, workspace } of this.#accused) this.#core.alarms.clear(kind, workspace, sentence);
    const { device } = this.#options.member;
    if (options.forget) this.#core.cache.forget(roomName({ kind: 'inbox', home: this.#core.home, device }));
  }

  async #readAll(workspace: WorkspaceId): Promise<void> {
    const keys = this.#options.keysOf(workspace);
    if (keys === undefined) return;
    const before = this.#read.get(workspace) ?? new Map<number, ReadDecision & SignedText>();
    const now = new Map<number, ReadDecision & SignedText>();
    const { clock } = this.#core;
    let endMs = clock.nowMs() + REPLICA_LIMITS.sliceMs;
    for (const [at, n] of this.#reader.numbers(workspace).slice(0, REPLICA_LIMITS.waitingMax).entries()) {
      const found = this.#open(keys, workspace, n, before.get(n));
      if (found !== undefined) now.set(n, found);
      if (at % REPLICA_LIMITS.verifiedInSliceMax === 0 || clock.nowMs() >= endMs) {
        await new Promise<void>((resolve) => clock.soon(resolve));
        endMs = clock.nowMs() + REPLICA_LIMITS.sliceMs;
      }
      if (this.#closed) return;
    }
    this.#read.set(workspace, now);
    this.#options.changed(workspace);
  }

  #open(
    keys: KeyRing,
    workspace: WorkspaceId,
    n: number,
    before: (ReadDecision & SignedText) | undefined,
  ): (ReadDecision & SignedText) | undefined {
    const { crypto, home } = this.#core;
    const { device } = this.#options.member;
    const signed = this.#reader.open(keys, { workspace, n });
    if (signed?.ok !== true) return undefined;
    const { payload, signature } = signed.value;
    if (before?.payload === payload && before.signature === signature) return before;
    if (this.#foreign.has(signed.value)) return undefined;
    const opened = openDecision(crypto.verify, this.#publicKey, { home, workspace }, signed.value);
    if (!opened.ok || opened.value.device !== device || opened.value.n !== n) {
      this.#foreign.add(signed.value);
      return undefined;
    }
    if (before !== undefined && before.payload !== payload) this.#equivocated(workspace, n);
    return { device, n, hash: decisionHash(crypto.sha256, payload), decision: opened.value, payload, signature };
  }

  /** Which of the two its owner meant cannot be known (DC-2). It stops that device, and nobody else. */
  #equivocated(workspace: WorkspaceId, n: number): void {
    const { device } = this.#options.member;
    const sentence = `The device ${device} has signed two different decisions under number ${n}. Remove it.`;
    const alarm: Alarm = { kind: 'frozen', workspace, sentence };
    this.#accused.push(alarm);
    this.#core.alarms.raise(alarm, { stops: false });
  }
}

function first<T>(items: Iterable<T>): T | undefined {
  for (const item of items) return item;
  return undefined;
}
