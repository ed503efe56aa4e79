import { useEffect, useRef, type ReactNode } from 'react';
import type { Ticked } from '../inbox/selection.ts';

interface TickProps {
  readonly label: string;
  readonly ticked: Ticked;
  readonly disabled?: boolean;
  readonly onTick: (range: boolean) => void;
}

/** A checkbox with room for a finger around it. With shift it means the range up to here. */
export function Tick({ disabled = false, label, onTick, ticked }: TickProps): ReactNode {
  const ref = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (ref.current !== null) ref.current.indeterminate = ticked === 'some';
  }, [ticked]);
  return (
    <label className="tick">
      <input
        ref={ref}
        type="checkbox"
        aria-label={label}
        checked={ticked === 'all'}
        disabled={disabled}
        onClick={(event) => onTick(event.shiftKey)}
        onChange={() => undefined}
      />
    </label>
  );
}
