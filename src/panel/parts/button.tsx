import type { ReactNode } from 'react';

interface ButtonProps {
  readonly children: ReactNode;
  readonly onPress: () => void;
  readonly look?: 'main' | 'plain' | 'risky' | 'quiet';
  /** False while the layout has just moved: the button keeps its focus, and does nothing. */
  readonly armed?: boolean;
  /** Why it cannot be used; `null` when it can. */
  readonly barred?: string | null;
  readonly label?: string;
  readonly hotkey?: string;
  readonly autoFocus?: boolean;
}

export function Button({
  armed = true,
  autoFocus = false,
  barred = null,
  children,
  hotkey,
  label,
  look = 'plain',
  onPress,
}: ButtonProps): ReactNode {
  const off = !armed || barred !== null;
  return (
    <button
      type="button"
      className={`button button-${look}`}
      aria-disabled={off || undefined}
      aria-label={label}
      aria-keyshortcuts={hotkey}
      title={barred ?? undefined}
      data-autofocus={autoFocus || undefined}
      onClick={() => {
        if (!off) onPress();
      }}
    >
      {children}
    </button>
  );
}
