import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundled, bundledFolder } from './bundle.ts';

/** A program of these proofs, and what it forks with, where that can be built. */
export interface Program {
  readonly script: string;
  readonly addon?: string;
}

export interface Programs {
  readonly child: Program;
  readonly sink: string;
  readonly loop: Program;
}

/** Absolute: a name looked up on the PATH could be anything. */
const COMPILER = '/usr/bin/cc';

/** What the crash tests kill, and what they count effects with. */
export async function builtPrograms(): Promise<Programs> {
  const programs = { child: './crash-child.ts', loop: './crash-loop-child.ts', sink: './crash-sink.ts' } as const;
  const { child, loop, sink } = await bundled(programs);
  const addon = compiled();
  const withAddon = (script: string): Program => ({ script, ...(addon === undefined ? {} : { addon }) });
  return { child: withAddon(child), loop: withAddon(loop), sink };
}

/** Without a compiler every start is one from nothing: the same is proved, at five times the cost. */
function compiled(): string | undefined {
  const source = fileURLToPath(new URL('./crash-fork.c', import.meta.url));
  const addon = join(bundledFolder(), 'crash-fork.node');
  const { error, status, stderr } = spawnSync(COMPILER, ['-shared', '-fPIC', '-O1', '-o', addon, source], {
    encoding: 'utf8',
  });
  if (error === undefined && status === 0) return addon;
  process.stderr.write(`\nNO C COMPILER: every start of the crash proofs begins from nothing. ${stderr ?? ''}\n`);
  return undefined;
}
