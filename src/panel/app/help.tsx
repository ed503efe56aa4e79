import type { ReactNode } from 'react';
import { Dialog } from '../parts/dialog.tsx';
import { KEYS } from './keys.ts';

export function Help({ onClose }: { readonly onClose: () => void }): ReactNode {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl className="keys">
        {KEYS.map(({ key, words }) => (
          <div key={key} className="key-row">
            <dt>
              <kbd>{key === 'Escape' ? 'Esc' : key}</kbd>
            </dt>
            <dd>{words}</dd>
          </div>
        ))}
        <div className="key-row">
          <dt>
            <kbd>Enter</kbd>
          </dt>
          <dd>Open the row</dd>
        </div>
      </dl>
    </Dialog>
  );
}
