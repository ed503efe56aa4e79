/** One line of a bench: ours beside the bare operation or a peer, measured in the same run. */
export interface Figure {
  readonly bench: string;
  readonly figure: string;
  readonly unit: string;
  readonly ours: number;
  readonly beside: number;
  readonly besideName: string;
  /** ours / beside. */
  readonly ratio: number;
  readonly goal: string;
  readonly holds: boolean;
}

export type Report = (figure: Omit<Figure, 'ratio'>) => void;

export function reporter(options: { readonly json: boolean; readonly out: (line: string) => void }): Report {
  return (measured) => {
    const figure: Figure = {
      ...measured,
      ours: short(measured.ours),
      beside: short(measured.beside),
      ratio: short(measured.ours / measured.beside),
    };
    if (options.json) return options.out(JSON.stringify(figure));
    const { bench, figure: name, ours, unit, besideName, beside, ratio, goal, holds } = figure;
    options.out(
      `${bench} · ${name}: ${ours} ${unit}, ${besideName} ${beside} ${unit}, ratio ${ratio} (goal ${goal}: ${holds ? 'holds' : 'MISSED'})`,
    );
  };
}

/** The value below which `share` of the samples lie. */
function percentile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

export const p50 = (samples: readonly number[]): number => percentile(samples, 0.5);
export const p99 = (samples: readonly number[]): number => percentile(samples, 0.99);

/** Microseconds that one run takes. */
export async function timedUs(run: () => Promise<unknown>): Promise<number> {
  const startedAtNs = process.hrtime.bigint();
  await run();
  return Number(process.hrtime.bigint() - startedAtNs) / 1000;
}

function short(value: number): number {
  return Number(value.toPrecision(4));
}
