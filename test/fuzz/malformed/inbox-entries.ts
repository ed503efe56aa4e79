import * as Y from 'yjs';
import { utf8 } from '../../../src/base/bytes.ts';
import { nodeCrypto } from '../../../src/crypto/node.ts';
import { InboxReader, inboxKey, sealInboxEntry } from '../../../src/doc/inbox.ts';
import { keyRing } from '../../../src/doc/keys.ts';
import { ROOT } from '../../../src/doc/schema.ts';
import { seededRandom } from '../../../src/testing/index.ts';
import { anyOf, bytesBy, bytesOf, hexOf } from '../../support/fuzz-dice.ts';
import type { Dice } from '../../support/hostile-dice.ts';
import { LAB_PLACE } from '../../support/publish-lab.ts';
import { AuthorityLab, VIEWER_ID } from './authority-lab.ts';
import { anyDecision, type DecisionInput } from './decision-inputs.ts';
import { target, type Bench } from './target.ts';
import { ODD_TEXTS } from './values.ts';

interface EntryInput {
  readonly decision: DecisionInput;
  readonly owner: 'phone' | 'viewer';
  /** `own`: where its number belongs · `wrong`: under another number · otherwise the key as it is. */
  readonly place: 'own' | 'wrong' | { readonly key: string };
  readonly value:
    | 'sealed'
    | 'other-room'
    | 'other-key'
    | { readonly hex: string }
    | { readonly flip: number }
    | { readonly plain: unknown };
}

/** What devices put in their inboxes: entries of documents that the relay hands to the home. */
export const INBOX_ENTRIES = target<EntryInput>({
  name: 'inbox entries',
  share: 40,
  make: (dice) => ({
    decision: anyDecision(dice),
    owner: dice.chance(0.7) ? 'phone' : 'viewer',
    place: anyPlace(dice),
    value: anyValue(dice),
  }),
  open: async () => new EntryBench(await AuthorityLab.open()),
});

function anyPlace(dice: Dice): EntryInput['place'] {
  if (dice.chance(0.6)) return 'own';
  if (dice.chance(0.4)) return 'wrong';
  const numbers = ['0', '-1', '1.5', '01', '9007199254740993', '99999999999999999999', '1:1', ''];
  return {
    key: dice.chance(0.5)
      ? `${LAB_PLACE.workspace}:${anyOf(dice, numbers)}`
      : anyOf(
          dice,
          ODD_TEXTS.filter((text) => text.isWellFormed()),
        ),
  };
}

function anyValue(dice: Dice): EntryInput['value'] {
  return dice.pick<() => EntryInput['value']>([
    () => 'sealed',
    () => 'sealed',
    () => 'other-room',
    () => 'other-key',
    () => ({ hex: hexOf(bytesBy(dice, dice.roll(200))) }),
    () => ({ hex: `01${hexOf(bytesBy(dice, dice.roll(80)))}` }),
    () => ({ flip: dice.roll(4_000) }),
    () => ({ plain: anyOf(dice, [null, 1, 'text', [1], { a: 1 }, true]) }),
  ])();
}

const KEY = keyRing(nodeCrypto.hmac, [{ gen: 1, secret: new Uint8Array(32).fill(1) }]).newest;
const OTHER_KEY = keyRing(nodeCrypto.hmac, [{ gen: 1, secret: new Uint8Array(32).fill(99) }]).newest;

class EntryBench implements Bench<EntryInput> {
  readonly #lab: AuthorityLab;
  readonly #by = { seal: nodeCrypto.seal, random: seededRandom(5) };

  constructor(lab: AuthorityLab) {
    this.#lab = lab;
  }

  async feed(input: EntryInput): Promise<string | undefined> {
    const lab = this.#lab;
    const device = input.owner === 'viewer' ? VIEWER_ID : lab.lab.phone.id;
    const name = `d/${LAB_PLACE.home}/${device}`;
    const doc = new Y.Doc({ guid: name });
    const { key, n } = this.#placeOf(input);
    doc.getMap(ROOT.inbox).set(key, this.#valueOf(input, name, n));
    const reader = new InboxReader(doc, { seal: nodeCrypto.seal, name });
    const from = lab.head();
    lab.passTime();
    await lab.lab.authority.takeInbox(device, reader);
    const broken = reader.broken;
    reader.destroy();
    doc.destroy();
    if (broken !== undefined) return `the reader broke: ${broken}`;
    const counts = input.decision.expect === 'about-nothing' && input.decision.by === 'phone';
    const taken = lab.lab.authority.lastDecision(lab.lab.phone.id).n >= lab.nextN;
    if (taken) lab.took();
    if (taken && !counts) return 'it is taken';
    return lab.grew(from, taken ? ['decision-taken'] : []);
  }

  compare(): string | undefined {
    return this.#lab.compare();
  }

  close(): Promise<void> {
    return this.#lab.close();
  }

  #placeOf({ decision, place }: EntryInput): { readonly key: string; readonly n: number } {
    const own = decision.expect === 'replay' ? this.#lab.numberOf(decision) : this.#lab.nextN;
    const n = place === 'wrong' ? own + 1 : own;
    return { n, key: typeof place === 'string' ? inboxKey({ workspace: LAB_PLACE.workspace, n }) : place.key };
  }

  #valueOf({ decision, value }: EntryInput, name: string, n: number): unknown {
    if (typeof value === 'object' && 'plain' in value) return value.plain;
    if (typeof value === 'object' && 'hex' in value) return bytesOf(value.hex);
    const at = { workspace: LAB_PLACE.workspace, n };
    const signed = this.#lab.signed(decision);
    // An entry has room for a signature and for text that is some.
    if (!/^[0-9a-f]{128}$/.test(signed.signature) || !signed.payload.isWellFormed()) return utf8(decision.payload);
    const key = value === 'other-key' ? OTHER_KEY : KEY;
    const sealed = sealInboxEntry(this.#by, value === 'other-room' ? `${name}x` : name, key, at, signed);
    if (typeof value === 'object') sealed[value.flip % sealed.length] = (sealed[value.flip % sealed.length] ?? 0) ^ 1;
    return sealed;
  }
}
