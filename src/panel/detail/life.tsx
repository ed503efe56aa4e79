import type { ReactNode } from 'react';
import type { ActionView } from '../../replica/types.ts';
import { doneOf } from '../words/claim-words.ts';

const STAGES = ['saved', 'sent', 'received', 'applied'] as const;
const WORDS: Readonly<Record<(typeof STAGES)[number], string>> = {
  saved: 'Saved here',
  sent: 'Sent',
  received: 'Taken by the runtime',
  applied: 'Applied',
};

/** DC-6, PN-1: how far this device's newest decision has come. */
export function Life({ view }: { readonly view: ActionView }): ReactNode {
  const own = view.claims.findLast((claim) => claim.own && claim.state !== 'refused');
  if (own === undefined) return null;
  const stages = own.kind === 'approve' ? STAGES : STAGES.slice(0, 3);
  const at = view.record.state === 'applied' ? 3 : STAGES.findIndex((stage) => stage === own.state);
  return (
    <div className="life">
      <p className="life-what">{doneOf(own.kind)} here</p>
      <ol className="life-stages">
        {stages.map((stage, index) => (
          <li key={stage} data-done={index <= at || undefined} aria-current={index === at ? 'step' : undefined}>
            <span aria-hidden="true">{index <= at ? '●' : '○'}</span> {WORDS[stage]}
            <span className="hidden-text">{index <= at ? ', done' : ', not yet'}</span>
          </li>
        ))}
      </ol>
    </div>
  );
}
