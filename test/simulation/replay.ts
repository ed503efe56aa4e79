import type { Mode } from './rates.ts';

/** The command that takes a simulation through the same steps again. */
export function replayOf({
  seed,
  steps,
  mode,
}: {
  readonly seed: number;
  readonly steps: number;
  readonly mode: Mode;
}): string {
  return `npm run sim -- --seed ${seed} --steps ${steps}${mode === 'safety' ? '' : ` --mode ${mode}`}`;
}
