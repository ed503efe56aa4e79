import { createContext, useContext, useEffect, useState, type Dispatch } from 'react';
import { assert } from '../../base/assert.ts';
import type { ActionId } from '../../model/ids.ts';
import type { Replica, Snapshot } from '../../replica/types.ts';
import type { Differ } from '../detail/differ.ts';
import type { Located } from '../inbox/located.ts';
import type { Gestures, GesturesState } from './gestures.ts';
import type { Ui, UiEvent } from './ui-state.ts';

/** What every part of the page may read and do. */
export interface Panel {
  readonly replica: Replica;
  readonly differ: Differ;
  readonly snapshot: Snapshot;
  readonly index: ReadonlyMap<ActionId, Located>;
  readonly gestures: Gestures;
  readonly gesturesState: GesturesState;
  readonly ui: Ui;
  readonly dispatch: Dispatch<UiEvent>;
  /** The time for ages on the screen; moves every 20 seconds, for all of it at once. */
  readonly nowMs: number;
}

export const PanelContext = createContext<Panel | null>(null);

export function usePanel(): Panel {
  const panel = useContext(PanelContext);
  assert(panel !== null, 'parts of the panel stand inside it');
  return panel;
}

const AGES_TICK_MS = 20_000;

/** One timer for the whole page: a list of thousands of rows is scrolled through without starting any. */
export function useNow(): number {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), AGES_TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return nowMs;
}
