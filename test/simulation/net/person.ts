import { CountersignError } from '../../../src/base/errors.ts';
import { RIGHT_ORDER } from '../../../src/access/rights.ts';
import type { Right } from '../../../src/model/decision.ts';
import type { LedgerAction } from '../../../src/model/ledger.ts';
import type { Wish } from '../../../src/replica/types.ts';
import type { Household, Person, SeenAction, SimWish } from '../contract.ts';
import type { SimDevice } from './device.ts';

/** Settled actions a person looks back at. */
const SETTLED_SEEN_MAX = 20;

/** The person at a device: sees what its replica shows, and decides there. */
export function personAt(device: SimDevice, household: Household): Person {
  const { id } = device.member;
  return {
    id,
    get right(): Right {
      return household.members.find((member) => member.id === id)?.right ?? RIGHT_ORDER[0];
    },
    sees() {
      const [workspace] = device.replica?.snapshot().workspaces ?? [];
      if (workspace === undefined) return [];
      return [...workspace.open, ...workspace.settled.slice(0, SETTLED_SEEN_MAX)].map(({ record }) => seen(record));
    },
    async decide(wish) {
      const line = `${device.name} ${wish.kind} ${wish.ids.length}`;
      return `${line} ${await decided(device, household, wish)}`;
    },
  };
}

async function decided(device: SimDevice, { workspace }: Household, wish: SimWish): Promise<string> {
  const { replica } = device;
  const window = [...device.windows].find((each) => each.replica === replica);
  if (replica === undefined || window === undefined) return 'at a closed window';
  const wished: Wish = { workspace, ...wish };
  try {
    // A window that is killed meanwhile answers nothing.
    const saved = await Promise.race([replica.decide(wished), window.ended]);
    return saved === undefined ? 'and the window ended' : `saved ${saved.map(({ n }) => n).join(' ')}`;
  } catch (thrown) {
    if (!CountersignError.is(thrown)) throw thrown;
    return thrown.code;
  }
}

function seen(record: LedgerAction): SeenAction {
  return {
    id: record.id,
    state: record.state,
    digest: record.digest,
    attention: record.attentionEntry,
    effectClass: record.effectClass,
    reversible: record.reversible,
    attempts: record.attempts,
    revertAttempts: record.state === 'revert-in-doubt' ? record.attempts : 0,
    mayHappenTwice: record.mayHappenTwice,
    holds: record.holds.map(({ hash }) => hash),
  };
}
