import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createCountersign } from '../src/index.ts';
import { nodeCrypto } from '../src/crypto/node.ts';
import { memoryJournal } from '../src/journal/memory/index.ts';
import type { AgentPort } from '../src/model/agent-port.ts';
import type { ActionId } from '../src/model/ids.ts';
import type { QueueRow } from '../src/model/owner-port.ts';
import { filesPack } from '../src/surfaces/files/index.ts';
import type { Report } from './lib/figure.ts';
import { commitAt, commits, treeOf, type Commit } from './lib/git-history.ts';

const SESSIONS = 10;
const COMMITS_PER_SESSION = 12;
/** Commits that touch more are moves of a whole folder, which no agent does a file at a time. */
const CHANGES_MAX = 40;

/**
 * What one reject fells, in sessions replayed from this repository's own history: each commit as the reads and edits
 * that made it, with a search of the whole tree before it. Beside: what it would fell if every read counted as a need.
 */
export async function run(report: Report): Promise<void> {
  const all = commits();
  const each = Math.min(COMMITS_PER_SESSION, Math.floor(all.length / SESSIONS));
  if (each < 2) throw new Error(`This clone has ${all.length} commits; the replay wants at least ${2 * SESSIONS}.`);
  const stride = Math.floor(all.length / SESSIONS);
  const falls: number[] = [];
  const ifReadsCounted: number[] = [];
  let searchNeeds = 0;
  for (let session = 0; session < SESSIONS; session++) {
    const replayed = await replay(all.slice(session * stride, session * stride + each));
    falls.push(...replayed.rows.map((row) => fallsWith(replayed.rows, row.id, (other) => other.needs)));
    ifReadsCounted.push(
      ...replayed.rows.map((row) => fallsWith(replayed.rows, row.id, (other) => [...other.needs, ...other.saw])),
    );
    searchNeeds += replayed.searchNeeds;
  }
  report({
    bench: 'cascade',
    figure: `mean of what one reject fells, ${SESSIONS} sessions of ${each} commits, ${falls.length} actions`,
    unit: 'actions',
    ours: mean(falls),
    beside: mean(ifReadsCounted),
    besideName: 'if every read counted as a need',
    goal: '<= 0.2',
    holds: mean(falls) <= 0.2 * mean(ifReadsCounted),
  });
  report({
    bench: 'cascade',
    figure: 'needs edges that a search of the whole tree adds',
    unit: 'edges',
    ours: searchNeeds,
    beside: falls.length,
    besideName: 'actions replayed',
    goal: '0',
    holds: searchNeeds === 0,
  });
}

interface Replayed {
  readonly rows: readonly QueueRow[];
  /** Edges of the action that follows a search and touches nothing that is pending. */
  readonly searchNeeds: number;
}

async function replay(hashes: readonly string[]): Promise<Replayed> {
  const root = realpathSync(mkdtempSync(join(process.cwd(), 'node_modules', '.bench-')));
  const [first = ''] = hashes;
  for (const { path, text } of treeOf(`${first}^`)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const made = await createCountersign({
    workspace: root,
    surfaces: [filesPack({ root, denied: [] })],
    journal: memoryJournal(),
    crypto: nodeCrypto,
  });
  try {
    const port = await made.authority.agent({
      name: 'replayed',
      client: { name: 'bench', version: '1' },
      transportId: null,
      host: 'mcp',
      workspaceDir: root,
    });
    for (const hash of hashes) await work(port, commitAt(hash));
    await search(port);
    const probe = await call(port, 'write_file', { path: 'searched-before-this.txt', content: 'new\n' });
    const rows = made.authority.queue({ all: false });
    const after = rows.find((row) => row.id === probe);
    return { rows: rows.filter((row) => row.id !== probe), searchNeeds: after?.needs.length ?? 0 };
  } finally {
    await made.stop();
    rmSync(root, { recursive: true, force: true });
  }
}

/** What made the commit: a search, a look at every file that is there, then the edits. */
async function work(port: AgentPort, { changes }: Commit): Promise<void> {
  if (changes.length > CHANGES_MAX) return;
  await search(port);
  for (const { path, text } of changes) {
    const read = await port.call({ tool: 'read_text_file', arguments: { path }, callId: null });
    if (text !== null) await call(port, 'write_file', { path, content: text });
    else if (read.type === 'passthrough') await call(port, 'delete_file', { path });
  }
}

async function search(port: AgentPort): Promise<void> {
  await port.call({ tool: 'grep_files', arguments: { pattern: 'export', path: '.' }, callId: null });
}

/** The id of what was queued; `null` for what changed nothing or was refused, as for the agent that it replays. */
async function call(port: AgentPort, tool: string, args: Readonly<Record<string, string>>): Promise<ActionId | null> {
  const answer = await port.call({ tool, arguments: args, callId: null });
  return answer.type === 'simulated' ? answer.actionId : null;
}

function fallsWith(rows: readonly QueueRow[], root: ActionId, edges: (row: QueueRow) => readonly ActionId[]): number {
  const gone = new Set<ActionId>([root]);
  // Edges point backwards, so one pass in the order of numbers finds all.
  for (const row of rows) if (row.id !== root && edges(row).some((id) => gone.has(id))) gone.add(row.id);
  return gone.size - 1;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}
