import { useMemo, useState, type ReactNode } from 'react';
import { assert } from '../../base/assert.ts';
import type { LedgerKind } from '../../model/ledger.ts';
import { usePanel } from '../app/panel-context.ts';
import { useSetting } from '../app/use-setting.ts';
import { ActionLines } from '../inbox/action-lines.tsx';
import type { Located } from '../inbox/located.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Shown } from '../parts/shown.tsx';
import { useArmed } from '../parts/use-armed.ts';
import { counted } from '../words/counts.ts';
import { offeredTests } from './offered-tests.ts';
import { firstDraft, HOLDS, OFTEN, testProblem, wishOf, type RuleDraft } from './rule-draft.ts';
import { ruleOffer } from './rule-offer.ts';
import { reachOf } from './rule-reach.ts';
import { TestLines } from './test-lines.tsx';
import { useCandidates } from './use-candidates.ts';

/** Makes a standing rule from a card: what it would ask, its words as they are signed, and what it would approve now. */
export function RuleSheet({ located }: { readonly located: Located }): ReactNode {
  const { dispatch, snapshot } = usePanel();
  // What was offered is kept, also when the action is settled while the person reads.
  const [kind] = useState(() => ruleOffer(located, snapshot.right)?.kind ?? null);
  const candidates = useCandidates(located);
  const [own] = candidates.all;
  const close = (): void => dispatch({ type: 'rule', id: null });
  if (kind === null || candidates.loading || own?.content === undefined)
    return (
      <Dialog wide title="Always allow this kind" onClose={close}>
        <p className="notice">
          {candidates.loading ? 'Looking at what is queued…' : 'No rule can be made from this card any more.'}
        </p>
      </Dialog>
    );
  return <Form kind={kind} content={own.content} located={located} candidates={candidates} onClose={close} />;
}

interface FormProps {
  readonly kind: LedgerKind;
  readonly content: NonNullable<ReturnType<typeof useCandidates>['all'][number]['content']>;
  readonly located: Located;
  readonly candidates: ReturnType<typeof useCandidates>;
  readonly onClose: () => void;
}

function Form({ candidates, content, kind, located, onClose }: FormProps): ReactNode {
  const { gestures } = usePanel();
  const [draft, setDraft] = useState<RuleDraft>(() => firstDraft(offeredTests(kind, content)));
  const { set, trouble } = useSetting();
  const wish = useMemo(() => wishOf(kind, draft), [draft, kind]);
  const reach = useMemo(() => reachOf(kind, wish, candidates.all), [candidates.all, kind, wish]);
  const armed = useArmed(wish.text);
  const wrong = draft.tests.some((test) => testProblem(test) !== null);
  const sign = (): void =>
    set({ workspace: located.workspace.id, kind: 'rule.add', rule: wish }, () => {
      gestures.say('Made a rule. Saved on this device.');
      onClose();
    });
  return (
    <Dialog
      wide
      title="Always allow this kind"
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button
            look="main"
            armed={armed}
            barred={wrong ? 'Something above cannot be compared as it is written.' : null}
            onPress={sign}
          >
            Make this rule
          </Button>
        </>
      }
    >
      <p>
        <strong>
          <Shown text={kind.label} maxChars={120} />
        </strong>{' '}
        from any agent in this workspace is approved without asking you, as soon as its turn comes.
      </p>
      {draft.tests.length === 0 ? null : (
        <TestLines tests={draft.tests} onTests={(tests) => setDraft({ ...draft, tests })} />
      )}
      <Limits draft={draft} onDraft={setDraft} />
      <section className="rule-verbatim" aria-label="The rule as it is signed">
        <h3>The rule as it is signed</h3>
        <blockquote aria-live="polite">{wrong ? '…' : <Shown text={wish.text} maxChars={4_096} />}</blockquote>
      </section>
      {wrong ? null : <Reach {...{ candidates, reach }} />}
      {trouble === null ? null : (
        <p className="notice notice-bad" role="alert">
          <span aria-hidden="true">!</span>
          <span>{trouble}</span>
        </p>
      )}
    </Dialog>
  );
}

interface ReachProps {
  readonly candidates: ReturnType<typeof useCandidates>;
  readonly reach: ReturnType<typeof reachOf>;
}

function Reach({ candidates: { more }, reach: { covered, left } }: ReachProps): ReactNode {
  const whys = new Map(left.map(({ id, why }) => [id, why]));
  return (
    <>
      {covered.length === 0 ? <p className="hint">It approves nothing that is queued now.</p> : null}
      <ActionLines title="Approves of what is queued now" ids={covered} />
      <ActionLines title="Still waits for a person" ids={[...whys.keys()]} whys={whys} />
      {more === 0 ? null : (
        <p className="hint">{counted(more, 'more action')} of this kind wait; they were not looked at here.</p>
      )}
    </>
  );
}

interface LimitsProps {
  readonly draft: RuleDraft;
  readonly onDraft: (draft: RuleDraft) => void;
}

function Limits({ draft, onDraft }: LimitsProps): ReactNode {
  return (
    <div className="rule-limits">
      <Choice label="How long" of={HOLDS} chosen={draft.forMs} onChoose={(forMs) => onDraft({ ...draft, forMs })} />
      <Choice
        label="How often"
        of={OFTEN}
        chosen={draft.usesMax}
        onChoose={(usesMax) => onDraft({ ...draft, usesMax })}
      />
    </div>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly of: readonly (readonly [value: number | null, words: string])[];
  readonly chosen: number | null;
  readonly onChoose: (value: number | null) => void;
}

function Choice({ chosen, label, of, onChoose }: ChoiceProps): ReactNode {
  return (
    <label className="rule-limit">
      <span>{label}</span>
      <select
        className="select"
        value={of.findIndex(([value]) => value === chosen)}
        onChange={({ target }) => {
          const found = of[Number(target.value)];
          assert(found !== undefined, 'what is chosen was offered');
          onChoose(found[0]);
        }}
      >
        {of.map(([, words], at) => (
          <option key={words} value={at}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}
