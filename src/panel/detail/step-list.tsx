import type { ReactNode } from 'react';
import type { ActionView } from '../../replica/types.ts';
import { usePanel } from '../app/panel-context.ts';
import { Shown } from '../parts/shown.tsx';
import { StateMark } from '../parts/state-mark.tsx';
import { agoWords, counted } from '../words/counts.ts';

/** The steps that lead to one difference, folded: the difference is what is reviewed. */
export function StepList({ steps }: { readonly steps: readonly ActionView[] }): ReactNode {
  const { nowMs } = usePanel();
  return (
    <details className="steps">
      <summary>{counted(steps.length, 'step')}, shown as one difference</summary>
      <ol>
        {steps.map(({ record }) => (
          <li key={record.id}>
            <span className="seq">#{record.seq}</span> <Shown text={record.title} maxChars={240} />{' '}
            <StateMark state={record.state} /> <span className="age">{agoWords(record.proposedAtMs, nowMs)}</span>
          </li>
        ))}
      </ol>
    </details>
  );
}
