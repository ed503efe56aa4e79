import { bundled } from './bundle.ts';

export interface Programs {
  readonly child: string;
  readonly sink: string;
  readonly loop: string;
}

/** What the crash tests kill, and what they count effects with. */
export function builtPrograms(): Promise<Programs> {
  return bundled({ child: './crash-child.ts', sink: './crash-sink.ts', loop: './crash-loop-child.ts' });
}
