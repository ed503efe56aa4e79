import type { ReactNode } from 'react';
import type { ActionView } from '../../replica/types.ts';
import { GraceLine } from '../inbox/grace-line.tsx';
import { Shown } from '../parts/shown.tsx';
import { timeWords } from '../words/counts.ts';
import { attentionWords } from '../words/state-words.ts';

const CONFLICT_SHOWN =
  'The difference below is against the file as the agent knew it. Take the agent’s shows it against what is on disk now, before anything is written.';

/** What a person must know before deciding, in whole sentences. */
export function Warnings({ straddles, view }: { readonly view: ActionView; readonly straddles: boolean }): ReactNode {
  const { record } = view;
  const found: readonly (readonly [tone: 'bad' | 'warn' | 'plain', text: string, more?: string | null])[] = [
    ...(record.attention === null
      ? []
      : [['warn', `${attentionWords(record.attention.kind)}.`, record.attention.why] as const]),
    ...(record.attention?.kind === 'conflict'
      ? [['plain', `Seen ${timeWords(record.changedAtMs)}. ${CONFLICT_SHOWN}`] as const]
      : []),
    // A person's own reason stands with who decided.
    ...(record.why === null || record.why === record.attention?.why || record.why === record.reason
      ? []
      : [[record.state === 'held' || record.state === 'rejected' ? 'plain' : 'warn', '', record.why] as const]),
    ...(record.remark === null || record.remark === record.why ? [] : [['warn', '', record.remark] as const]),
    ...(record.reversible ? [] : [['bad', 'Cannot be undone once it is applied.'] as const]),
    ...(record.inspectable
      ? []
      : [
          [
            'bad',
            'Cannot be inspected: these are the raw arguments of a tool that Countersign does not know.',
          ] as const,
        ]),
    ...(record.mayHappenTwice
      ? [['bad', 'It was said not to have happened. If that is wrong, a retry makes it happen twice.'] as const]
      : []),
    ...(straddles ? [['plain', 'Other changes of this agent stand between its steps.'] as const] : []),
    ...(record.awaitDecision ? [['plain', 'The agent stands still until this is decided.'] as const] : []),
  ];
  return (
    <>
      <GraceLine view={view} />
      {found.map(([tone, text, more]) => (
        <p key={`${text}${more ?? ''}`} className={`notice notice-${tone}`}>
          {tone === 'plain' ? null : <span aria-hidden="true">!</span>}
          <span>
            {text} {more === undefined || more === null ? null : <Shown text={more} maxChars={1_000} />}
          </span>
        </p>
      ))}
    </>
  );
}
