/** What a key means; `undefined` for one that means nothing here. */
export type KeyCommand =
  | 'next'
  | 'previous'
  | 'tick'
  | 'tick-range'
  | 'approve'
  | 'reject'
  | 'change'
  | 'hold'
  | 'view'
  | 'undo'
  | 'search'
  | 'help'
  | 'leave';

export const KEYS: readonly { readonly key: string; readonly command: KeyCommand; readonly words: string }[] = [
  { key: 'j', command: 'next', words: 'Next row' },
  { key: 'k', command: 'previous', words: 'Row before' },
  { key: 'x', command: 'tick', words: 'Select, or not' },
  { key: 'X', command: 'tick-range', words: 'Select from the last one to here' },
  { key: 'a', command: 'approve', words: 'Approve' },
  { key: 'r', command: 'reject', words: 'Reject' },
  { key: 'c', command: 'change', words: 'Ask for a change' },
  { key: 'h', command: 'hold', words: 'Hold' },
  { key: 'v', command: 'view', words: 'Details' },
  { key: 'u', command: 'undo', words: 'Undo' },
  { key: '/', command: 'search', words: 'Filter' },
  { key: '?', command: 'help', words: 'These keys' },
  { key: 'Escape', command: 'leave', words: 'Back, or select nothing' },
];

export interface KeyFacts {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  /** Somebody is writing. */
  readonly writing: boolean;
}

export function commandOf({ altKey, ctrlKey, key, metaKey, writing }: KeyFacts): KeyCommand | undefined {
  if (altKey || ctrlKey || metaKey || writing) return undefined;
  return KEYS.find((entry) => entry.key === key)?.command;
}
