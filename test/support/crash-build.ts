import { bundled } from './bundle.ts';

/** How a program of these proofs is started: arguments for `node`. */
export type Program = readonly string[];

export interface Programs {
  readonly child: Program;
  readonly sink: Program;
  readonly loop: Program;
}

/** What the crash tests kill, and what they count effects with. What V8 compiled of the product is kept at a first clean end. */
export async function builtPrograms(): Promise<Programs> {
  const programs = { child: './crash-child.ts', loop: './crash-loop-child.ts', sink: './crash-sink.ts' } as const;
  const { start, ...built } = await bundled({ start: './crash-start.ts', ...programs }, 'script');
  return { child: [start, built.child], loop: [start, built.loop], sink: [built.sink] };
}
