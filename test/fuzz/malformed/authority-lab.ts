import { nodeCrypto, nodeSigner } from '../../../src/crypto/node.ts';
import type { Signer } from '../../../src/crypto/ports.ts';
import { deviceIdOf } from '../../../src/access/home-id.ts';
import { toHex, utf8 } from '../../../src/base/bytes.ts';
import type { ActionId, DeviceId, Digest } from '../../../src/model/ids.ts';
import type { SignedText } from '../../../src/model/signed-text.ts';
import { memoryJournal } from '../../../src/testing/index.ts';
import { signedMessage } from '../../../src/access/signed.ts';
import { LAB_PLACE, publishLab, type PublishLab } from '../../support/publish-lab.ts';
import { put } from '../../support/workshop.ts';
import { NEXT_N, PLACEHOLDER, type DecisionInput } from './decision-inputs.ts';

/** The same seeds as the lab's own devices. */
const PHONE = nodeSigner(new Uint8Array(32).fill(8));
const VIEWER = nodeSigner(new Uint8Array(32).fill(9));
const STRANGER = nodeSigner(new Uint8Array(32).fill(10));
const DOMAIN = { ...LAB_PLACE, type: 'decision' } as const;

/** Inputs between two seconds of the lab's time. */
const INPUTS_A_SECOND = 500;

export const VIEWER_ID: DeviceId = deviceIdOf(nodeCrypto.sha256, VIEWER.publicKey);

/** A workspace with an action in every state, a phone that may everything and a tablet that may only look. */
export class AuthorityLab {
  readonly lab: PublishLab;
  readonly targets: readonly { readonly id: ActionId; readonly digest: Digest }[];
  /** Decisions that were taken, with their receipts: whoever sends one again gets the same answer. */
  readonly #taken: { readonly signed: SignedText; readonly receipt: SignedText }[];
  readonly #before: string;
  #n: number;
  #inputs = 0;
  #refused = 0;
  readonly #fromMs: number;

  static async open(): Promise<AuthorityLab> {
    const journal = memoryJournal({ sha256: nodeCrypto.sha256 });
    const lab = await publishLab({ journal, rights: new Map([[VIEWER_ID, 'view']]) });
    const port = await lab.agent();
    for (const name of ['a', 'b', 'c', 'd', 'e']) await put(port, name, 'one');
    await put(port, 'c', 'two');
    await port.call({ tool: 'ask', arguments: { question: 'why?' }, callId: null });
    const taken: { signed: SignedText; receipt: SignedText }[] = [];
    const decide = async (wish: Parameters<typeof lab.phone.signed>[0]): Promise<void> => {
      const signed = lab.phone.signed(wish);
      const [receipt] = (await lab.authority.decide([signed])).receipts;
      if (receipt === undefined) throw new Error('a decision has a receipt');
      taken.push({ signed, receipt });
      await lab.settled();
    };
    await decide({ kind: 'approve', ids: [lab.idOf(1)], body: { mode: 'rest' } });
    await decide({ kind: 'reject', ids: [lab.idOf(2)] });
    await decide({ kind: 'hold', ids: [lab.idOf(3)] });
    lab.world.shelf.hooks.beforeApply = async () => ({ type: 'failed', why: 'The shelf is locked.' });
    await decide({ kind: 'approve', ids: [lab.idOf(4)], body: { mode: 'rest' } });
    await decide({ kind: 'approve', ids: [lab.idOf(5)], body: { mode: 'rest' } });
    return new AuthorityLab(lab, taken);
  }

  private constructor(lab: PublishLab, taken: { signed: SignedText; receipt: SignedText }[]) {
    this.lab = lab;
    this.#taken = taken;
    this.#n = taken.length + 1;
    this.targets = lab.authority.queue({ all: true }).map(({ digest, id }) => ({ id, digest }));
    this.#before = this.#seen();
    this.#fromMs = lab.world.clock.nowMs();
  }

  get nextN(): number {
    return this.#n;
  }

  replayed(input: DecisionInput): { readonly signed: SignedText; readonly receipt: SignedText } {
    const found = this.#taken[Number(input.payload) % this.#taken.length];
    if (found === undefined) throw new Error('something was decided');
    return found;
  }

  /** The number of a decision that was taken: the lab's are 1, 2 … */
  numberOf(input: DecisionInput): number {
    return (Number(input.payload) % this.#taken.length) + 1;
  }

  signed(input: DecisionInput): SignedText {
    const { by, expect } = input;
    if (expect === 'replay') return this.replayed(input).signed;
    const payload = this.#filled(input);
    if (by === 'none') return { payload, signature: input.signature ?? '' };
    const signer: Signer = { phone: PHONE, viewer: VIEWER, stranger: STRANGER, tampered: PHONE }[by];
    const text = by === 'tampered' ? `${payload} ` : payload;
    return { payload, signature: toHex(signer.sign(signedMessage(DOMAIN, utf8(text)))) };
  }

  /** The next number of the phone was used. */
  took(): void {
    this.#n += 1;
  }

  /** Time goes on, so that what is counted a minute is counted anew, and what is to be published is. */
  passTime(): void {
    this.#inputs += 1;
    if (this.#inputs % INPUTS_A_SECOND === 0) this.lab.world.clock.advance(1_000);
  }

  head(): number {
    return this.lab.world.journal.head().seq;
  }

  /** What the log got since it ended there, if that is more than refusals, and what may be in it. */
  grew(from: number, may: readonly string[] = []): string | undefined {
    const rows = this.lab.world.journal.rows(from + 1, 100);
    this.#refused += rows.filter(({ kind }) => kind === 'decision-refused').length;
    const allowed = new Set<string>(['decision-refused', 'checkpointed', ...may]);
    const strange = rows.find(({ kind }) => !allowed.has(kind));
    return strange === undefined ? undefined : `the log got a row ${strange.kind}`;
  }

  compare(): string | undefined {
    const minutes = Math.ceil((this.lab.world.clock.nowMs() - this.#fromMs) / 60_000) + 1;
    if (this.#refused > minutes * 20) return `${this.#refused} refusals stand in the log after ${minutes} minutes`;
    const now = this.#seen();
    return now === this.#before ? undefined : `something changed: ${difference(this.#before, now)}`;
  }

  /** The same, without what says that somebody is connected. */
  compareActions(): string | undefined {
    const [before, now] = [this.#before, this.#seen()].map((text) => JSON.stringify(withoutStatus(text)));
    return now === before ? undefined : `something changed: ${difference(before ?? '', now ?? '')}`;
  }

  close(): Promise<void> {
    return this.lab.authority.stop();
  }

  /** Everything that a person, an agent or the world can see. */
  #seen(): string {
    const { alarms, authority, world } = this.lab;
    const { effects, notes } = world.shelf;
    return JSON.stringify([authority.queue({ all: true }), authority.status(), [...notes], effects, alarms]);
  }

  #filled({ by, payload }: DecisionInput): string {
    const device = by === 'viewer' ? VIEWER_ID : this.lab.phone.id;
    let filled = payload
      .replaceAll(PLACEHOLDER.home, LAB_PLACE.home)
      .replaceAll(PLACEHOLDER.workspace, LAB_PLACE.workspace)
      .replaceAll(PLACEHOLDER.device, device)
      .replaceAll(PLACEHOLDER.prev, 'c'.repeat(64))
      .replaceAll(String(NEXT_N), String(this.#n));
    for (const at of [0, 1]) {
      const { digest, id } = this.targets[(at * 3 + this.#n) % this.targets.length] ?? { digest: '', id: '' };
      filled = filled.replaceAll(`${PLACEHOLDER.id}${at}`, id).replaceAll(`${PLACEHOLDER.digest}${at}`, digest);
    }
    return filled;
  }
}

function withoutStatus(seen: string): unknown {
  // reason: made above
  return (JSON.parse(seen) as readonly unknown[]).filter((_, at) => at !== 1);
}

/** Where two texts begin to differ, with a little of both. */
function difference(before: string, now: string): string {
  let at = 0;
  while (at < before.length && before[at] === now[at]) at += 1;
  const from = Math.max(0, at - 200);
  return `\n${before.slice(from, at + 100)}\n${now.slice(from, at + 100)}`;
}
