import type { EpochMs, Cancel } from '../../base/clock.ts';
import { jsonObject, read, type Reader } from '../../base/shape.ts';
import type { Json } from '../../base/canonical-json.ts';
import type { Seen } from '../../model/decision.ts';
import type { WorkspaceId } from '../../model/ids.ts';
import type { SignedText } from '../../model/signed-text.ts';
import { openHeartbeat, seenOf } from '../../trust/heartbeat.ts';
import type { Core } from '../core.ts';
import { parseSignedText, signedTextJson } from '../head/signed-json.ts';
import type { Witnesses } from '../head/witnesses.ts';
import { REPLICA_LIMITS } from '../limits.ts';
import type { WorkspaceView } from '../types.ts';

/** What an authority shows who looks at its ledger. */
const presence: Reader<Json> = (value, at) => jsonObject(value, at)['heartbeat'] ?? null;

/** The newest signed word of an authority on its log (DC-5), and whether it still beats. */
export class Heartbeats {
  readonly #core: Core;
  readonly #workspace: WorkspaceId;
  readonly #witnesses: Witnesses;
  #newest: Seen | undefined;
  /** The one looked at last: it is shown again with everything else that changes in the room. */
  #shown: SignedText | undefined;
  /** This device's clock when the newest came: how long ago, and nothing else, is read from it. */
  #cameMs: EpochMs | undefined;
  #listeningMs: EpochMs | undefined;
  #cancel: Cancel = () => undefined;

  constructor(core: Core, workspace: WorkspaceId, witnesses: Witnesses) {
    this.#core = core;
    this.#workspace = workspace;
    this.#witnesses = witnesses;
  }

  get seen(): Seen | null {
    return this.#newest ?? null;
  }

  async load(): Promise<void> {
    const fact = await this.#core.storage.facts.get(this.#key);
    const signed = fact === undefined ? undefined : parseSignedText(fact.value);
    if (signed?.ok === true) this.#open(signed.value);
  }

  /** What others in the ledger's room show. Any of it may come from anyone. */
  takeAll(presences: readonly Json[]): void {
    for (const each of presences.slice(0, REPLICA_LIMITS.presencesMax)) {
      const shown = read(presence, each);
      const signed = shown.ok ? parseSignedText(shown.value) : shown;
      if (!signed.ok || isSame(signed.value, this.#shown)) continue;
      this.#shown = signed.value;
      this.#take(signed.value);
    }
  }

  /** What a head says, which the home has signed: the runtime was there then, whoever it was that met it. */
  takeHead(seen: Seen): void {
    if (this.#isNewest(seen)) this.#core.changed();
  }

  /** From when on silence means something: the room is open, or it is not. */
  listening(open: boolean): void {
    if (open === (this.#listeningMs !== undefined)) return;
    this.#listeningMs = open ? this.#core.clock.nowMs() : undefined;
    this.#watch();
    this.#core.changed();
  }

  runtime(): WorkspaceView['runtime'] {
    return { state: this.#state(), heartbeatAtMs: this.#newest?.atMs ?? null };
  }

  close(): void {
    this.#cancel();
  }

  #state(): WorkspaceView['runtime']['state'] {
    if (this.#listeningMs === undefined) return 'unknown';
    const nowMs = this.#core.clock.nowMs();
    if (this.#cameMs !== undefined && nowMs - this.#cameMs < REPLICA_LIMITS.asleepMs) return 'online';
    return nowMs - this.#listeningMs < REPLICA_LIMITS.asleepMs ? 'unknown' : 'asleep';
  }

  #take(signed: SignedText): void {
    if (!this.#open(signed)) return;
    this.#cameMs = this.#core.clock.nowMs();
    const number = this.#newest?.counter ?? 0;
    this.#core.run(async () => {
      await this.#core.storage.facts.raise(this.#key, { number, value: signedTextJson(signed) });
    });
    this.#watch();
    this.#core.changed();
  }

  /** Answers whether it is genuine and the newest. */
  #open(signed: SignedText): boolean {
    const { crypto, home, homeKey } = this.#core;
    const place = { home, workspace: this.#workspace };
    const opened = openHeartbeat(crypto.verify, homeKey, place, signed);
    return opened.ok && this.#isNewest(seenOf(opened.value));
  }

  /** A counter that does not grow is an old one shown again. */
  #isNewest(beat: Seen): boolean {
    const { alarms } = this.#core;
    this.#witnesses.add({ size: beat.size, root: beat.root, tree: null });
    const known = this.#newest;
    if (known !== undefined && beat.counter <= known.counter) return false;
    if (known !== undefined && beat.size < known.size)
      alarms.raise({ kind: 'rollback', workspace: this.#workspace, sentence: shorter(known.size, beat.size) });
    this.#newest = beat;
    return true;
  }

  /** Silence is no event: a timer says when it has lasted. */
  #watch(): void {
    this.#cancel();
    if (this.#listeningMs === undefined) return;
    this.#cancel = this.#core.clock.after(REPLICA_LIMITS.asleepMs, () => this.#core.changed());
  }

  get #key(): string {
    return `heartbeat/${this.#workspace}`;
  }
}

/** Signature and all: a forged one must not make the genuine one pass for seen. */
function isSame(a: SignedText, b: SignedText | undefined): boolean {
  return a.payload === b?.payload && a.signature === b.signature;
}

function shorter(before: number, now: number): string {
  return `The audit log had ${before} entries and has ${now} now. Somebody went back to an older state of the runtime.`;
}
