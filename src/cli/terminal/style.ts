import picocolors from 'picocolors';

/** Painters of text. With colours off each returns its text unchanged, so that no escape is ever written. */
export type Style = ReturnType<typeof picocolors.createColors>;
export type Paint = (text: string) => string;

/** What the process knows about its output; nothing here looks it up itself. */
export interface OutputFacts {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isTTY: boolean;
}

/** Where and when a view is drawn. `columns` is `null` for a file or a pipe: nothing is wrapped or left out. */
export interface Screen {
  readonly style: Style;
  readonly columns: number | null;
  readonly nowMs: number;
}

/** NO_COLOR wins over FORCE_COLOR, both win over the terminal (no-color.org, force-color.org). */
export function coloursWanted({ env, isTTY }: OutputFacts): boolean {
  if (isSet(env['NO_COLOR'])) return false;
  const force = env['FORCE_COLOR'];
  if (force !== undefined) return force !== '0' && force !== 'false';
  return isTTY && env['TERM'] !== 'dumb';
}

export function styleFor(facts: OutputFacts): Style {
  return picocolors.createColors(coloursWanted(facts));
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}
