import type { ReactNode } from 'react';
import type { ActionState } from '../../model/action.ts';
import { stateWords } from '../words/state-words.ts';

export function StateMark({ state }: { readonly state: ActionState }): ReactNode {
  const { symbol, tone, word } = stateWords(state);
  return (
    <span className={`mark tone-${tone}`}>
      <span aria-hidden="true">{symbol}</span> {word}
    </span>
  );
}
