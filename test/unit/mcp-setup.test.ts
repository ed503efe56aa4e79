import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isSetupAgent, SETUP_AGENTS, type SetupFacts } from '../../src/cli/setup/facts.ts';
import { setupGuide } from '../../src/cli/setup/guide.ts';
import { setupText } from '../../src/cli/setup/text.ts';
import { tempDir } from '../support/temp-dir.ts';

const FACTS: SetupFacts = {
  workspaceDir: '/home/ann/my project',
  command: '/usr/bin/node',
  args: ['/opt/countersign/main.js', 'mcp', '--workspace', '/home/ann/my project'],
  http: { url: 'http://127.0.0.1:4711/mcp', tokenPath: '/home/ann/.local/state/countersign/agent token' },
};

test('claude-code: the whole text', () => {
  expect(setupText(setupGuide('claude-code', FACTS))).toMatchInlineSnapshot(`
    "in /home/ann/my project/.mcp.json (the server; Claude Code asks once whether it may use it):

      {
        "mcpServers": {
          "countersign": {
            "command": "/usr/bin/node",
            "args": [
              "/opt/countersign/main.js",
              "mcp",
              "--workspace",
              "/home/ann/my project"
            ]
          }
        }
      }

    in /home/ann/my project/.claude/settings.local.json (our tools without a second question, and the built-in ones that write past the queue switched off):

      {
        "permissions": {
          "allow": [
            "mcp__countersign"
          ],
          "deny": [
            "Edit",
            "Write",
            "NotebookEdit"
          ]
        }
      }

    Over HTTP instead, in the shell that starts the agent:

      export COUNTERSIGN_TOKEN="$(cat '/home/ann/.local/state/countersign/agent token')"

    and in /home/ann/my project/.mcp.json (the server over HTTP):

      {
        "mcpServers": {
          "countersign": {
            "type": "http",
            "url": "http://127.0.0.1:4711/mcp?workspace=%2Fhome%2Fann%2Fmy+project",
            "headers": {
              "Authorization": "Bearer \${COUNTERSIGN_TOKEN}"
            }
          }
        }
      }

    - Take the deny list out to have the built-in tools back; what they write reaches your files at once.
    - Commands in Bash still write to your files directly.
    "
  `);
});

test('codex: the whole text', () => {
  expect(setupText(setupGuide('codex', FACTS))).toMatchInlineSnapshot(`
    "in ~/.codex/config.toml (the server, with its tools allowed without a second question):

      [mcp_servers.countersign]
      command = "/usr/bin/node"
      args = ["/opt/countersign/main.js", "mcp", "--workspace", "/home/ann/my project"]
      default_tools_approval_mode = "approve"

    Over HTTP instead, in the shell that starts the agent:

      export COUNTERSIGN_TOKEN="$(cat '/home/ann/.local/state/countersign/agent token')"

    and in ~/.codex/config.toml (the server over HTTP):

      [mcp_servers.countersign]
      url = "http://127.0.0.1:4711/mcp?workspace=%2Fhome%2Fann%2Fmy+project"
      bearer_token_env_var = "COUNTERSIGN_TOKEN"
      default_tools_approval_mode = "approve"

    - In a trusted project the same table may stand in /home/ann/my project/.codex/config.toml instead.
    - With sandbox_mode = "read-only" the shell commands of Codex cannot write past the queue.
    "
  `);
});

test('cursor: the whole text', () => {
  expect(setupText(setupGuide('cursor', FACTS))).toMatchInlineSnapshot(`
    "in /home/ann/my project/.cursor/mcp.json (the server):

      {
        "mcpServers": {
          "countersign": {
            "command": "/usr/bin/node",
            "args": [
              "/opt/countersign/main.js",
              "mcp",
              "--workspace",
              "/home/ann/my project"
            ]
          }
        }
      }

    in ~/.cursor/permissions.json (our tools without a second question, when the agent runs in a mode with an allowlist):

      {
        "mcpAllowlist": [
          "countersign:*"
        ]
      }

    Over HTTP instead, in the shell that starts the agent:

      export COUNTERSIGN_TOKEN="$(cat '/home/ann/.local/state/countersign/agent token')"

    and in /home/ann/my project/.cursor/mcp.json (the server over HTTP):

      {
        "mcpServers": {
          "countersign": {
            "url": "http://127.0.0.1:4711/mcp?workspace=%2Fhome%2Fann%2Fmy+project",
            "headers": {
              "Authorization": "Bearer \${env:COUNTERSIGN_TOKEN}"
            }
          }
        }
      }

    - An mcpAllowlist in permissions.json replaces the one in Cursor’s settings: carry over what you allowed there.
    - Cursor’s own edit tools and terminal still write to your files directly.
    "
  `);
});

test.each(SETUP_AGENTS)('%s: without an HTTP endpoint none is spoken of', (agent) => {
  const guide = setupGuide(agent, { ...FACTS, http: null });
  expect(guide.overHttp).toBeNull();
  expect(setupText(guide)).not.toMatch(/HTTP|TOKEN/);
});

test.each(['claude-code', 'cursor', 'generic'] as const)(
  '%s: every file is JSON and names the command as given',
  (agent) => {
    const hostile = { ...FACTS, command: 'C:\\Program Files\\"node".exe', args: ['--workspace', 'a\n"b" \\ ü'] };
    const guide = setupGuide(agent, hostile);
    const [server] = guide.files.map((file): { readonly mcpServers?: object } => JSON.parse(file.content));
    expect(server?.mcpServers).toEqual({ countersign: { command: hostile.command, args: hostile.args } });
  },
);

test('codex: strings are TOML strings, whatever is in them', () => {
  const hostile = { ...FACTS, command: 'C:\\x "y"\u007F', args: ['a\nb', "it's"] };
  expect(setupGuide('codex', hostile).files[0]?.content).toBe(
    [
      '[mcp_servers.countersign]',
      String.raw`command = "C:\\x \"y\"\u007F"`,
      String.raw`args = ["a\nb", "it's"]`,
      'default_tools_approval_mode = "approve"',
      '',
    ].join('\n'),
  );
});

test('[DC-10] no configuration holds a token; the shell line reads it from where it lies', async () => {
  const tokenPath = join(await tempDir(), `it's "the" $token`);
  writeFileSync(tokenPath, 'sesame\n');
  const guide = setupGuide('codex', { ...FACTS, http: { url: 'http://127.0.0.1:4711/mcp', tokenPath } });
  expect(JSON.stringify(guide)).not.toContain('sesame');
  const read = execFileSync('sh', ['-c', `${guide.overHttp?.shell}; printf %s "$COUNTERSIGN_TOKEN"`], {
    encoding: 'utf8',
  });
  expect(read).toBe('sesame');
});

test('an agent we do not know is not one of ours', () => {
  expect(isSetupAgent('claude-code')).toBe(true);
  expect(isSetupAgent('constructor')).toBe(false);
});
