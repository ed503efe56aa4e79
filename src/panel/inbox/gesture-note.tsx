import type { ReactNode } from 'react';
import type { ItemKind } from '../../model/decision.ts';

export interface AskedNote {
  readonly label: string;
  readonly hint: string;
  readonly required: boolean;
}

/** UTF-16 units a person may write; in UTF-8 it stays below what a decision takes. */
const NOTE_CHARS_MAX = 2_000;

/** The words a kind of decision asks a person for; `null` when it asks for none. */
export function noteAsked(kind: ItemKind): AskedNote | null {
  if (kind === 'reject') return { label: 'Reason', hint: 'The agent reads it. May stay empty.', required: false };
  if (kind === 'change')
    return { label: 'What to do instead', hint: 'The agent reads it and proposes again.', required: true };
  return null;
}

interface GestureNoteProps {
  readonly id: string;
  readonly asked: AskedNote;
  readonly note: string;
  readonly onNote: (note: string) => void;
  /** Control and Enter, for who does not want to leave the keyboard. */
  readonly onSend: () => void;
}

export function GestureNote({ asked, id, note, onNote, onSend }: GestureNoteProps): ReactNode {
  return (
    <div className="field">
      <label htmlFor={id}>{asked.label}</label>
      <textarea
        id={id}
        rows={3}
        maxLength={NOTE_CHARS_MAX}
        aria-describedby={`${id}-hint`}
        aria-required={asked.required}
        data-autofocus
        value={note}
        onChange={(event) => onNote(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) onSend();
        }}
      />
      <p id={`${id}-hint`} className="hint">
        {asked.hint}
      </p>
    </div>
  );
}
