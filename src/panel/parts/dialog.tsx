import { useEffect, useId, useRef, type ReactNode } from 'react';

interface DialogProps {
  readonly title: ReactNode;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** Buttons, always in sight below what scrolls. */
  readonly actions?: ReactNode;
  readonly wide?: boolean;
}

/** A native modal dialog: the platform keeps the focus inside, ends it on Escape and gives the focus back. */
export function Dialog({ actions, children, onClose, title, wide = false }: DialogProps): ReactNode {
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const dialog = ref.current;
    const before = document.activeElement;
    if (dialog !== null && !dialog.open) dialog.showModal();
    dialog?.querySelector<HTMLElement>('[data-autofocus]')?.focus();
    return () => {
      if (dialog?.open === true) dialog.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={ref}
      className={wide ? 'dialog dialog-wide' : 'dialog'}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        // The backdrop belongs to the dialog itself; everything inside stands in its children.
        if (event.target === ref.current) onClose();
      }}
    >
      <div className="dialog-frame">
        <header className="dialog-head">
          <h2 id={titleId}>{title}</h2>
          <button type="button" className="icon-button" aria-label="Close" onClick={onClose}>
            ×
          </button>
        </header>
        <div className="dialog-body">{children}</div>
        {actions === undefined ? null : <footer className="dialog-actions">{actions}</footer>}
      </div>
    </dialog>
  );
}
