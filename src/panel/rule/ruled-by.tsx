import type { ReactNode } from 'react';
import { usePanel } from '../app/panel-context.ts';
import { useSetting } from '../app/use-setting.ts';
import type { Located } from '../inbox/located.ts';
import { Button } from '../parts/button.tsx';
import { Shown } from '../parts/shown.tsx';
import { nicknameOf } from '../words/claim-words.ts';
import { NO_RULE_RIGHT } from './rule-offer.ts';

/** Which rule approved it, in the words that were signed, and the way to end that. */
export function RuledBy({ located: { view, workspace } }: { readonly located: Located }): ReactNode {
  const { snapshot } = usePanel();
  const { set, trouble } = useSetting();
  const { by } = view.record;
  if (by?.type !== 'rule') return null;
  const rule = workspace.rules.find(({ id }) => id === by.rule);
  if (rule === undefined) return <p className="notice">Approved by a rule that is not in force any more.</p>;
  const maker = nicknameOf(workspace.devices.get(rule.device)?.nickname ?? rule.device);
  return (
    <div className="notice ruled-by">
      <p>
        Approved by a rule made on <bdi>{maker}</bdi>:
      </p>
      <blockquote>
        <Shown text={rule.text} maxChars={4_096} />
      </blockquote>
      <Button
        barred={snapshot.right === 'approve-all' ? null : NO_RULE_RIGHT}
        onPress={() => set({ workspace: workspace.id, kind: 'rule.remove', rule: rule.id })}
      >
        Remove this rule
      </Button>
      {trouble === null ? null : <p role="alert">{trouble}</p>}
    </div>
  );
}
