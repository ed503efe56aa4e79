import { CountersignError } from '../../../src/base/errors.ts';
import { nodeCrypto } from '../../../src/crypto/node.ts';
import type { SignedText } from '../../../src/model/signed-text.ts';
import { openReceipt, type Receipt } from '../../../src/trust/receipt.ts';
import { LAB_HOME_KEY, LAB_PLACE } from '../../support/publish-lab.ts';
import { AuthorityLab } from './authority-lab.ts';
import { anyDecision, type DecisionInput } from './decision-inputs.ts';
import { target, type Bench } from './target.ts';

/** Decisions at the authority, as the owner's door and the inboxes hand them on. */
export const DECISIONS = target<DecisionInput>({
  name: 'decisions',
  share: 90,
  make: anyDecision,
  open: async () => new DecisionBench(await AuthorityLab.open()),
});

/** Receipts whose signature is checked: one in so many. */
const VERIFIED = 64;

class DecisionBench implements Bench<DecisionInput> {
  readonly #lab: AuthorityLab;
  #fed = 0;

  constructor(lab: AuthorityLab) {
    this.#lab = lab;
  }

  async feed(input: DecisionInput): Promise<string | undefined> {
    const lab = this.#lab;
    const signed = lab.signed(input);
    const from = lab.head();
    this.#fed += 1;
    lab.passTime();
    const answer = await this.#decided(signed);
    if (answer === undefined) return input.expect === 'nothing' ? lab.grew(from) : 'it has no answer';
    const why = this.#harm(input, answer);
    if (input.expect === 'about-nothing') lab.took();
    return why ?? lab.grew(from, input.expect === 'about-nothing' ? ['decision-taken'] : []);
  }

  compare(): string | undefined {
    return this.#lab.compare();
  }

  close(): Promise<void> {
    return this.#lab.close();
  }

  /** `undefined` where nobody could be answered: that is refused as a whole. */
  async #decided(signed: SignedText): Promise<SignedText | undefined> {
    try {
      return (await this.#lab.lab.authority.decide([signed])).receipts[0];
    } catch (thrown) {
      if (CountersignError.is(thrown) && thrown.code === 'denied') return undefined;
      throw thrown;
    }
  }

  #harm(input: DecisionInput, answer: SignedText): string | undefined {
    if (input.expect === 'replay')
      return answer.payload === this.#lab.replayed(input).receipt.payload ? undefined : 'it is answered in another way';
    if (this.#fed % VERIFIED === 0 && !openReceipt(nodeCrypto.verify, LAB_HOME_KEY, LAB_PLACE, answer).ok)
      return 'its receipt cannot be read';
    // reason: the home has just made it, and one in so many is checked
    const { refused, results } = JSON.parse(answer.payload) as Receipt;
    if (input.expect === 'nothing') return refused === null ? 'it is taken' : undefined;
    if (refused !== null) return `it is refused as a whole: ${refused}`;
    return results.every(({ result }) => result === 'refused') ? undefined : 'what it says of nothing counts';
  }
}
