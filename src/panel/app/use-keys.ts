import { useEffect, useRef } from 'react';
import { commandOf, type KeyCommand } from './keys.ts';

/** Runs `command` for keys pressed while no dialog is open and nobody writes. */
export function useKeys(command: (command: KeyCommand) => void): void {
  const latest = useRef(command);
  useEffect(() => {
    latest.current = command;
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || document.querySelector('dialog[open]') !== null) return;
      const { target } = event;
      const writing = target instanceof Element && target.matches('input:not([type=checkbox]), textarea, select');
      if (writing && event.key === 'Escape' && target instanceof HTMLElement) return target.blur();
      const { altKey, ctrlKey, key, metaKey } = event;
      const found = commandOf({ altKey, ctrlKey, key, metaKey, writing });
      if (found === undefined) return;
      event.preventDefault();
      latest.current(found);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}
