import type { ReactNode } from 'react';
import { canBeUndone } from '../app/gestures.ts';
import { usePanel } from '../app/panel-context.ts';

/** What came of the newest gestures. Read out by screen readers; in the flow of the page, so that it covers nothing. */
export function Outcomes(): ReactNode {
  const { gestures, gesturesState, index } = usePanel();
  return (
    <div className="outcomes" role="status" aria-live="polite" aria-label="Outcomes">
      {gesturesState.outcomes.map(({ id, text, tone, undo, undoes }) => (
        <p key={id} className={`outcome outcome-${tone}`}>
          <span aria-hidden="true">{tone === 'good' ? '✓' : '!'}</span>
          <span className="outcome-text">{text}</span>
          {undo === null || !canBeUndone(undoes, index) ? null : (
            <button
              type="button"
              className="text-button"
              onClick={() => {
                gestures.dismiss(id);
                undo();
              }}
            >
              Undo
            </button>
          )}
          <button type="button" className="icon-button" aria-label="Dismiss" onClick={() => gestures.dismiss(id)}>
            ×
          </button>
        </p>
      ))}
    </div>
  );
}
