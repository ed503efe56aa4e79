import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCountersign, type Countersign } from '../../src/index.ts';
import type { Journal } from '../../src/authority/ports.ts';
import { nodeCrypto } from '../../src/crypto/node.ts';
import type { AgentPort } from '../../src/model/agent-port.ts';
import { openSqliteJournal } from '../../src/journal/sqlite/index.ts';
import { filesPack } from '../../src/surfaces/files/index.ts';

/** A workspace of real files with a real journal, on the disk this checkout lies on. */
export interface BenchHome extends Countersign {
  readonly root: string;
  readonly stateDir: string;
  readonly journal: Journal;
  session(name: string): Promise<AgentPort>;
  end(): Promise<void>;
}

/** The disk that counts is the one people keep their work on, not a memory file system. */
function benchDir(): string {
  return realpathSync(mkdtempSync(join(process.cwd(), 'node_modules', '.bench-')));
}

export async function benchHome(options: {
  readonly files: number;
  readonly prepare?: (journal: Journal) => Promise<void>;
}): Promise<BenchHome> {
  const place = benchDir();
  const root = join(place, 'work');
  const stateDir = join(place, 'state');
  mkdirSync(join(root, 'src'), { recursive: true });
  for (let i = 0; i < options.files; i++) writeFileSync(join(root, fileName(i)), textOf(i, 0));
  const journal = openSqliteJournal({ dir: stateDir });
  await options.prepare?.(journal);
  const made = await createCountersign({
    workspace: root,
    surfaces: [filesPack({ root, denied: [stateDir] })],
    journal,
    crypto: nodeCrypto,
  });
  return {
    ...made,
    root,
    stateDir,
    journal,
    session: (name) =>
      made.authority.agent({
        name,
        client: { name: 'bench', version: '1' },
        transportId: null,
        host: 'mcp',
        workspaceDir: root,
      }),
    end: async () => {
      await made.stop();
      rmSync(place, { recursive: true, force: true });
    },
  };
}

export const fileName = (i: number): string => `src/file-${i}.ts`;

/** About 1 KiB of source, different for every file and version. */
function textOf(i: number, version: number): string {
  return Array.from(
    { length: 20 },
    (_, line) => `export const value_${i}_${line} = ${version * 1000 + line}; // line ${line}\n`,
  ).join('');
}

/** Queues one overwrite of the i-th file, and fails loudly if it was not queued. */
export async function proposeWrite(port: AgentPort, i: number, version: number): Promise<void> {
  const answer = await port.call({
    tool: 'write_file',
    arguments: { path: fileName(i), content: textOf(i, version) },
    callId: null,
  });
  if (answer.type !== 'simulated')
    throw new Error(`the bench expected a queued write and got ${JSON.stringify(answer)}`);
}
