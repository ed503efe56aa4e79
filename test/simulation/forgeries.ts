import type { Authority } from '../../src/authority/authority.ts';
import { CountersignError } from '../../src/base/errors.ts';
import { toHex } from '../../src/base/bytes.ts';
import { deviceId, homeId, workspaceId } from '../../src/model/ids.ts';
import type { Decision, DecisionItem } from '../../src/model/decision.ts';
import type { SignedText } from '../../src/model/signed-text.ts';
import { decisionHash, signDecision } from '../../src/trust/decision.ts';
import { openReceipt } from '../../src/trust/receipt.ts';
import type { Dice } from './contract.ts';
import { memberOf, type DoorPerson } from './people.ts';
import type { Stage } from './stage.ts';

export const FORGERIES = [
  'bad signature',
  'unknown device',
  'other home',
  'other workspace',
  'no JSON',
  'second under one number',
] as const;

/** Somebody who means harm reaches the authority's door with what nobody of the home signed for it. */
export function forge(stage: Stage, authority: Authority, people: readonly DoorPerson[], dice: Dice): string {
  const way = dice.of(FORGERIES);
  const signed = forged(stage, way, people, dice);
  if (signed === undefined) return `${way}: nothing to forge`;
  stage.occurred(`forged: ${way}`);
  stage.judge.forged.add(decisionHash(stage.household.crypto.sha256, signed.payload));
  authority.decide([signed]).then(
    ({ receipts }) => heard(stage, signed, receipts),
    (error: unknown) => {
      if (!CountersignError.is(error)) stage.fail('forgery', String(error));
    },
  );
  return way;
}

/** Whoever forges is told no, and about nothing but what they sent. */
function heard({ household, fail, occurred }: Stage, sent: SignedText, receipts: readonly SignedText[]): void {
  occurred(`forged: answered with ${receipts.length} receipts`);
  const { crypto, home, workspace, signer } = household;
  const hash = decisionHash(crypto.sha256, sent.payload);
  for (const receipt of receipts) {
    const opened = openReceipt(crypto.verify, signer.publicKey, { home, workspace }, receipt);
    if (!opened.ok || opened.value.decision !== hash) fail('receipt', 'a forgery was answered with something else');
    else if (opened.value.refused === null) fail('receipt', 'a forgery was received');
  }
}

function forged(
  stage: Stage,
  way: (typeof FORGERIES)[number],
  people: readonly DoorPerson[],
  dice: Dice,
): SignedText | undefined {
  const { household, chronicle } = stage;
  const actions = [...chronicle.actions.values()].slice(-10);
  if (actions.length === 0) return undefined;
  const { action } = dice.of(actions);
  const attention = action.newestAttention?.entry;
  const item: DecisionItem = {
    id: action.id,
    digest: action.digest,
    ...(attention === undefined ? {} : { attention }),
  };
  const member = memberOf(household, dice.of(people).id);
  const decision: Decision = {
    v: 1,
    home: household.home,
    workspace: household.workspace,
    device: member.id,
    n: 1_000_000 + dice.pick(1_000_000),
    prev: action.digest,
    kind: dice.of(['approve', 'reject', 'hold'] as const),
    items: [item],
    holdsLifted: [],
    seen: null,
  };
  const fitting: Decision = decision.kind === 'approve' ? { ...decision, body: { mode: 'rest' } } : decision;
  switch (way) {
    case 'bad signature':
      return { ...signDecision(member.signer, fitting), signature: toHex(dice.random.bytes(64)) };
    case 'unknown device':
      return signDecision(member.signer, { ...fitting, device: deviceId(dice.random.bytes(16)) });
    case 'other home':
      return signDecision(member.signer, { ...fitting, home: homeId(dice.random.bytes(16)) });
    case 'other workspace':
      return signDecision(member.signer, { ...fitting, workspace: workspaceId(dice.random.bytes(16)) });
    case 'no JSON':
      return { payload: '{"v":1,', signature: toHex(dice.random.bytes(64)) };
    case 'second under one number':
      return copied(stage, people, fitting);
  }
}

/** A copied key: the second device of a home signs another decision under a number that was taken. */
function copied(stage: Stage, people: readonly DoorPerson[], fitting: Decision): SignedText | undefined {
  const [, second] = people;
  const taken = [...stage.chronicle.decisions.values()].find(
    ({ decision }) => decision.device === second?.id && decision.n > 1,
  );
  if (second === undefined || taken === undefined) return undefined;
  const { n, prev } = taken.decision;
  return signDecision(memberOf(stage.household, second.id).signer, {
    ...fitting,
    device: second.id,
    n,
    prev,
    note: 'mine',
  });
}
