import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import type { Clock } from '../base/clock.ts';
import { browserClock } from '../replica/browser/system.ts';
import type { Replica } from '../replica/types.ts';
import { App } from './app/app.tsx';
import { Gestures } from './app/gestures.ts';
import { differHere, type Differ } from './detail/differ.ts';

export interface PanelOptions {
  readonly replica: Replica;
  /** Compares files; in the page's own thread unless a worker is given. */
  readonly differ?: Differ;
  readonly clock?: Clock;
}

/**
 * Shows a replica in an element of a page. The page brings `panel.css`. Answers how to end it; the replica stays open.
 */
export function mountPanel(element: HTMLElement, options: PanelOptions): () => void {
  const gestures = new Gestures(options.replica, options.clock ?? browserClock());
  const root = createRoot(element, {
    // Nothing should bring it here. If something does, a person reads that, rather than an empty page.
    onUncaughtError(thrown) {
      reportError(thrown);
      element.replaceChildren(fallenPage());
    },
  });
  root.render(
    <StrictMode>
      <App replica={options.replica} gestures={gestures} differ={options.differ ?? differHere} />
    </StrictMode>,
  );
  // A page that is left may not come back: what a person asked for is signed now rather than forgotten.
  const flush = (): void => {
    if (document.visibilityState === 'hidden') gestures.flush();
  };
  document.addEventListener('visibilitychange', flush);
  return () => {
    document.removeEventListener('visibilitychange', flush);
    gestures.flush();
    root.unmount();
  };
}

function fallenPage(): HTMLElement {
  const gate = document.createElement('div');
  gate.className = 'gate';
  const title = document.createElement('h1');
  title.textContent = 'The panel has stopped';
  const words = document.createElement('p');
  words.textContent =
    'It met something it could not show. Nothing that you decided is lost: what was saved on this device goes out when the page is loaded again.';
  const again = document.createElement('button');
  again.type = 'button';
  again.className = 'button button-main';
  again.textContent = 'Load it again';
  again.addEventListener('click', () => location.reload());
  gate.append(title, words, again);
  return gate;
}
