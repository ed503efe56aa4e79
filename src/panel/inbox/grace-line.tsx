import { useEffect, useState, type ReactNode } from 'react';
import type { ActionView } from '../../replica/types.ts';
import { usePanel } from '../app/panel-context.ts';
import { graceSeconds, GRACE_TICK_MS, graceWords } from '../words/grace-words.ts';

/**
 * What cannot be undone once it is done can be stopped before (DR-5): how long, and a way to do it. Only rows on the
 * screen that are in their grace period count seconds.
 */
export function GraceLine({ view }: { readonly view: ActionView }): ReactNode {
  const { graceUntilMs, state } = view.record;
  if (state !== 'approved' || graceUntilMs === null) return null;
  return <Countdown key={graceUntilMs} view={view} untilMs={graceUntilMs} />;
}

function Countdown({ untilMs, view }: { readonly view: ActionView; readonly untilMs: number }): ReactNode {
  const { gestures, replica } = usePanel();
  const secondsLeft = useSecondsLeft(untilMs);
  const { by, id, seq } = view.record;
  const own = by?.type === 'device' && by.device === replica.device;
  const stop = own ? ({ kind: 'retract', label: 'Undo' } as const) : ({ kind: 'hold', label: 'Hold' } as const);
  return (
    <span className="row-grace">
      <span role="timer">{graceWords(secondsLeft, view.waitsFor.length)}</span>
      <button
        type="button"
        className="text-button"
        aria-label={`${stop.label} #${seq}`}
        onClick={() => gestures.ask({ kind: stop.kind, ids: [id], shown: new Map(), bulk: false })}
      >
        {stop.label}
      </button>
    </span>
  );
}

/** Counted from when it was first shown: this device's clock may be another one than the runtime's. */
function useSecondsLeft(untilMs: number): number {
  const [end] = useState(() => Date.now() + graceSeconds(untilMs, Date.now()) * 1_000);
  const [nowMs, setNowMs] = useState(() => Date.now());
  const over = nowMs >= end;
  useEffect(() => {
    if (over) return undefined;
    const timer = setInterval(() => setNowMs(Date.now()), GRACE_TICK_MS);
    return () => clearInterval(timer);
  }, [over]);
  return graceSeconds(end, nowMs);
}
