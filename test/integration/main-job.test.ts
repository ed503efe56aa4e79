import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { cli, up } from '../support/cli.ts';
import { tempDir } from '../support/temp-dir.ts';

/** The names agents know from the reference filesystem server, and ours beside them. */
const TOOLS =
  'create_directory delete_file diff_pending directory_tree edit_file get_file_info grep_files list_directory move_file ' +
  'queue_status read_media_file read_multiple_files read_text_file search_files wait_for_decision withdraw_action write_file';

interface Called {
  readonly lines: readonly string[];
  readonly isError: boolean;
  readonly structured: Record<string, unknown> | undefined;
}

async function httpAgent(url: string, token: string) {
  const client = new Client({ name: 'http-agent', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { Authorization: `Bearer ${token}` } },
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return {
    client,
    async call(tool: string, args: Record<string, unknown>): Promise<Called> {
      const answer = await client.callTool({ name: tool, arguments: args });
      return {
        // reason: every block of these tools is text
        lines: (answer['content'] as readonly { readonly text: string }[]).map(({ text }) => text),
        isError: answer['isError'] === true,
        structured: answer['structuredContent'] as Record<string, unknown> | undefined,
      };
    },
  };
}

async function place() {
  const dir = await tempDir();
  const workspace = join(dir, 'project');
  const state = join(dir, 'state');
  await mkdir(join(workspace, 'src'), { recursive: true });
  await writeFile(join(workspace, 'src', 'a.ts'), 'export const a = 1;\r\n');
  await writeFile(join(workspace, 'src', 'b.ts'), "import { a } from './a.ts';\n");
  const home = await up(workspace, state, '--port', '0');
  const token = (await readFile(join(state, 'agent.token'), 'utf8')).trim();
  const agent = await httpAgent(String(home.ready['mcpUrl']), token);
  const run = (...args: readonly string[]) => cli(...args, '--workspace', workspace, '--state', state);
  return { workspace, state, home, token, run, ...agent };
}

describe('the main job, over HTTP', () => {
  test('an agent acts, its effects wait, a person countersigns, the drain applies', async () => {
    const { workspace, run, call, client, home } = await place();
    const { tools } = await client.listTools();
    expect(
      tools
        .map(({ name }) => name)
        .toSorted()
        .join(' '),
    ).toBe(TOOLS);
    expect(tools.filter((tool) => tool.outputSchema !== undefined)).toEqual([]);

    const moved = await call('move_file', { source: 'src/a.ts', destination: join(workspace, 'src', 'alpha.ts') });
    expect(moved.lines[0], '[SM-9]').toBe('Queued as #1, not applied yet; your reads, tests and commands see it.');
    expect(moved.structured).toMatchObject({ countersign: { state: 'pending', seq: 1 } });
    await call('edit_file', { path: 'src/alpha.ts', edits: [{ oldText: 'a = 1', newText: 'a = 2' }] });
    await call('edit_file', { path: 'src/b.ts', edits: [{ oldText: './a.ts', newText: './alpha.ts' }] });
    await call('write_file', { path: 'src/c.ts', content: 'export {};\n' });
    await call('delete_file', { path: 'src/c.ts' });

    // The agent reads its own work byte for byte; the disk has none of it.
    expect((await call('read_text_file', { path: 'src/alpha.ts' })).lines).toEqual(['export const a = 2;\r\n']);
    expect((await call('list_directory', { path: 'src' })).lines).toEqual(['[FILE] alpha.ts\n[FILE] b.ts']);
    expect((await call('grep_files', { pattern: 'alpha', path: '.' })).lines[0]).toContain('src/b.ts');
    expect((await call('diff_pending', {})).lines[0]).toContain('+export const a = 2;');
    expect(await readdir(join(workspace, 'src'))).toEqual(['a.ts', 'b.ts']);

    // A person takes the middle out; what stands on nothing of it goes on.
    const rejected = await run('reject', '3', '--reason', 'keep the name', '--json');
    expect(rejected.json[0]).toMatchObject({ result: 'received' });
    const told = await call('read_text_file', { path: 'src/b.ts' });
    expect(told.lines).toEqual([expect.stringContaining('| keep the name'), "import { a } from './a.ts';\n"]);
    expect((await run('approve', '--all', '--wait', 'applied')).code).toBe(0);
    expect(await readdir(join(workspace, 'src'))).toEqual(['alpha.ts', 'b.ts']);
    expect(await readFile(join(workspace, 'src', 'alpha.ts'), 'utf8')).toBe('export const a = 2;\r\n');
    expect(await readFile(join(workspace, 'src', 'b.ts'), 'utf8')).toBe("import { a } from './a.ts';\n");

    const waited = await call('wait_for_decision', { actionIds: ['#1', '#3'], timeoutMs: 0 });
    expect(waited.structured).toMatchObject({
      results: [{ outcome: 'applied' }, { outcome: 'rejected', reason: 'keep the name' }],
    });
    expect((await run('audit', 'verify', '--json')).json.at(-1)).toMatchObject({ result: 'ok' });
    expect((await run('down')).code).toBe(0);
    expect((await home.ended).code).toBe(0);
  });

  test('bad calls are answered in words the agent can act on, and queue nothing', async () => {
    const { call, run, client } = await place();
    const refusals = [
      await call('write_file', { path: 'src/new.ts' }),
      await call('write_file', { path: '../outside.txt', content: 'x' }),
      await call('edit_file', { path: 'src/a.ts', edits: [{ oldText: 'not there', newText: 'x' }] }),
      await call('read_text_file', { path: 'src/missing.ts' }),
      await call('no_such_tool', {}),
    ];
    expect(refusals.map(({ isError }) => isError)).toEqual([true, true, true, true, true]);
    expect(refusals[0]?.lines[0]).toContain('content');
    expect(refusals[1]?.lines[0]).toContain('outside');
    // The very same edit a second time is the same action, not an edit of its own result (CP-2).
    const edit = { path: 'src/a.ts', edits: [{ oldText: 'a = 1', newText: 'a = 2' }] };
    const [first, second] = [await call('edit_file', edit), await call('edit_file', edit)];
    expect(second.structured).toEqual(first.structured);
    expect((await run('queue', '--json')).json).toHaveLength(1);
    await client.close();
  });

  test('waiting for a drain ends where a conflict stops it, and says what waits for what', async () => {
    const { call, run, workspace } = await place();
    await call('write_file', { path: 'src/one.ts', content: '1\n' });
    await call('edit_file', { path: 'src/a.ts', edits: [{ oldText: 'a = 1', newText: 'a = 2' }] });
    await call('write_file', { path: 'src/three.ts', content: '3\n' });
    await writeFile(join(workspace, 'src', 'a.ts'), 'export const a = 7;\r\n');
    const approved = await run('approve', '--all', '--rest', '--wait', 'applied');
    expect(approved.code).toBe(1);
    expect(approved.out).toContain('#1 ✓ applied');
    expect(approved.err).toContain('#3 is approved, waits for #2 (pending)');
    // The three exits are only for a conflict, whose card shows the file as it is now.
    const elsewhere = await run('resolve', '3', 'mine');
    expect([elsewhere.code, elsewhere.err]).toEqual([1, expect.stringContaining('It is in no conflict')]);
    expect((await run('show', '2')).out).toMatch(/-export const a = 7;[^]*\+export const a = 2;/);
    const asked = await run('resolve', '2', 'ask', '--yes');
    expect(asked.code).toBe(0);
    expect((await call('list_directory', { path: '.' })).lines[0]).toContain('| export const a = 7;');
  });

  test('[T14] without the token, or from another origin, nothing is answered', async () => {
    const { home, token } = await place();
    const url = String(home.ready['mcpUrl']);
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
    const ask = (more: Record<string, string>) =>
      fetch(url, { method: 'POST', headers: { ...headers, ...more }, body });
    expect((await ask({})).status).toBe(401);
    expect((await ask({ Authorization: 'Bearer wrong' })).status).toBe(401);
    expect((await ask({ Authorization: `Bearer ${token}`, Origin: 'http://evil.example' })).status).toBe(403);
  });
});
