import { useState } from 'react';
import { CountersignError } from '../../base/errors.ts';
import type { Setting } from '../../replica/types.ts';
import { usePanel } from './panel-context.ts';

export interface Setter {
  readonly set: (setting: Setting, saved?: () => void) => void;
  /** Why it was not saved; `null` while all is well. */
  readonly trouble: string | null;
}

/** Signs and saves what a person sets; what went wrong is said where it was set. */
export function useSetting(): Setter {
  const { replica } = usePanel();
  const [trouble, setTrouble] = useState<string | null>(null);
  const set: Setter['set'] = (setting, saved) => {
    setTrouble(null);
    replica.set(setting).then(
      () => saved?.(),
      (thrown: unknown) => {
        // What cannot be saved or may not be is said; anything else is a bug and stays one.
        if (!CountersignError.is(thrown)) throw thrown;
        setTrouble(thrown.message);
      },
    );
  };
  return { set, trouble };
}
