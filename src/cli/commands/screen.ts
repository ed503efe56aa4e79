import { styleFor, type Screen } from '../terminal/style.ts';
import type { Io } from './io.ts';

/** What the views need to know of the output. */
export function screenOf(io: Io): Screen {
  return {
    style: styleFor({ env: io.env, isTTY: io.outputIsTerminal }),
    columns: io.outputIsTerminal ? io.columns : null,
    nowMs: Date.now(),
  };
}
