import { join } from 'node:path';
import type { SetupAgent, SetupFacts, SetupFile, SetupGuide } from './facts.ts';
import { jsonText, tomlArray, tomlString } from './quote.ts';

/** The name every configuration gives our server; settings of the agents refer to it. */
const SERVER = 'countersign';
/** Holds the token for an agent that comes in over HTTP, so that no configuration file holds it. */
const TOKEN_VARIABLE = 'COUNTERSIGN_TOKEN';

/**
 * The configuration of one agent: our server, and our tools allowed without a second question where the agent has a
 * setting for that, because a person already countersigns what they queue.
 *
 * Source: the agents' own documentation on MCP servers and permissions, November 2026.
 */
export function setupGuide(agent: SetupAgent, facts: SetupFacts): SetupGuide {
  switch (agent) {
    case 'claude-code':
      return claudeCode(facts);
    case 'codex':
      return codex(facts);
    case 'cursor':
      return cursor(facts);
    case 'generic':
      return generic(facts);
  }
}

function claudeCode(facts: SetupFacts): SetupGuide {
  const path = join(facts.workspaceDir, '.mcp.json');
  const permissions = { allow: [`mcp__${SERVER}`], deny: ['Edit', 'Write', 'NotebookEdit'] };
  return {
    agent: 'claude-code',
    files: [
      { path, why: 'the server; Claude Code asks once whether it may use it', content: servers(stdio(facts)) },
      {
        path: join(facts.workspaceDir, '.claude', 'settings.local.json'),
        why: 'our tools without a second question, and the built-in ones that write past the queue switched off',
        content: jsonText({ permissions }),
      },
    ],
    overHttp: overHttp(facts, path, (url) =>
      servers({ type: 'http', url, headers: { Authorization: `Bearer \${${TOKEN_VARIABLE}}` } }),
    ),
    notes: [
      'Take the deny list out to have the built-in tools back; what they write reaches your files at once.',
      'Commands in Bash still write to your files directly.',
    ],
  };
}

function codex(facts: SetupFacts): SetupGuide {
  const path = '~/.codex/config.toml';
  const table = (lines: readonly string[]): string =>
    [`[mcp_servers.${SERVER}]`, ...lines, 'default_tools_approval_mode = "approve"', ''].join('\n');
  return {
    agent: 'codex',
    files: [
      {
        path,
        why: 'the server, with its tools allowed without a second question',
        content: table([`command = ${tomlString(facts.command)}`, `args = ${tomlArray(facts.args)}`]),
      },
    ],
    overHttp: overHttp(facts, path, (url) =>
      table([`url = ${tomlString(url)}`, `bearer_token_env_var = ${tomlString(TOKEN_VARIABLE)}`]),
    ),
    notes: [
      `In a trusted project the same table may stand in ${join(facts.workspaceDir, '.codex', 'config.toml')} instead.`,
      'With sandbox_mode = "read-only" the shell commands of Codex cannot write past the queue.',
    ],
  };
}

function cursor(facts: SetupFacts): SetupGuide {
  const path = join(facts.workspaceDir, '.cursor', 'mcp.json');
  return {
    agent: 'cursor',
    files: [
      { path, why: 'the server', content: servers(stdio(facts)) },
      {
        path: '~/.cursor/permissions.json',
        why: 'our tools without a second question, when the agent runs in a mode with an allowlist',
        content: jsonText({ mcpAllowlist: [`${SERVER}:*`] }),
      },
    ],
    overHttp: overHttp(facts, path, (url) =>
      servers({ url, headers: { Authorization: `Bearer \${env:${TOKEN_VARIABLE}}` } }),
    ),
    notes: [
      'An mcpAllowlist in permissions.json replaces the one in Cursor’s settings: carry over what you allowed there.',
      'Cursor’s own edit tools and terminal still write to your files directly.',
    ],
  };
}

function generic(facts: SetupFacts): SetupGuide {
  const path = 'the MCP configuration of your client';
  return {
    agent: 'generic',
    files: [{ path, why: 'the server', content: servers(stdio(facts)) }],
    overHttp: overHttp(facts, path, (url) =>
      servers({ type: 'http', url, headers: { Authorization: `Bearer \${${TOKEN_VARIABLE}}` } }),
    ),
    notes: [
      `Allow the tools of ${SERVER} without a question if the client can: what they write waits for you anyway.`,
      'Tools of the client that write files themselves do not wait; switch them off if it can.',
    ],
  };
}

function stdio({ command, args }: SetupFacts): object {
  return { command, args };
}

function servers(entry: object): string {
  return jsonText({ mcpServers: { [SERVER]: entry } });
}

function overHttp(
  { http, workspaceDir }: SetupFacts,
  path: string,
  content: (url: string) => string,
): SetupGuide['overHttp'] {
  if (http === null) return null;
  const url = new URL(http.url);
  url.searchParams.set('workspace', workspaceDir);
  const file: SetupFile = { path, why: 'the server over HTTP', content: content(url.href) };
  return { file, shell: `export ${TOKEN_VARIABLE}="$(cat ${shellWord(http.tokenPath)})"` };
}

/** One word for a POSIX shell, whatever is in it. */
function shellWord(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
