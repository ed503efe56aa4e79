import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readAdmitFile } from '../../../sync-server/admit-file.ts';
import { readFlags } from '../../../sync-server/flags.ts';
import { family } from '../../support/relay-people.ts';
import { tempDir } from '../../support/temp-dir.ts';

const { home } = family(10, 0).home;
const TOKEN = 'a-token-of-twenty-two-chars';

describe('the relay’s flags', () => {
  test('say what it does, with the environment and defaults behind them', () => {
    const flags = readFlags(
      ['--home', home, '--origin', 'http://localhost:4321/', '--public-origin', 'wss://relay.example'],
      {
        COUNTERSIGN_RELAY_PORT: '5000',
        XDG_STATE_HOME: '/state',
      },
    );
    expect(flags).toEqual({
      port: 5000,
      host: '127.0.0.1',
      dataDir: '/state/countersign-relay',
      admit: undefined,
      homes: [home],
      open: false,
      pageOrigins: ['http://localhost:4321'],
      publicOrigins: ['wss://relay.example'],
    });
    expect(readFlags(['--open', '--port', '0', '--data', 'here'], {})).toMatchObject({
      port: 0,
      dataDir: 'here',
      open: true,
    });
  });

  test.each([
    [[], 'Say whom the relay serves'],
    [['--open', '--port', 'x'], 'The port must be'],
    [['--home', 'h-1'], '--home takes the id'],
    [['--open', '--nonsense'], 'The relay takes'],
    [['--open', '--host', '0.0.0.0'], 'needs --public-origin'],
    [['--open', '--origin', 'localhost'], 'is no origin'],
    [['--open', '--origin', 'http://localhost/x'], 'is no origin'],
    [['--open', '--origin', '*'], 'is no origin'],
    [['--open', '--public-origin', 'http://relay.example'], 'is no origin'],
  ])('%j is refused with a sentence', (args, sentence) => {
    expect(() => readFlags(args, {})).toThrow(sentence);
  });
});

describe('a file of tokens', () => {
  async function tokensOf(...lines: readonly string[]): Promise<unknown> {
    const path = join(await tempDir(), 'tokens.jsonl');
    writeFileSync(path, lines.join('\n'));
    try {
      return readAdmitFile(path);
    } catch (thrown) {
      return thrown instanceof Error ? thrown.message.replace(path, 'FILE') : thrown;
    }
  }

  test('names each by a nickname, and says what it is good for', async () => {
    const whole = { token: TOKEN, nickname: 'me', rooms: ['notes/*'], bytes: 10, expires: '2027-01-31T12:00:00Z' };
    expect(await tokensOf(JSON.stringify(whole), '', '{"token":"another-token-of-22-chars","nickname":"you"}')).toEqual(
      [
        { token: TOKEN, nickname: 'me', rooms: ['notes/*'], bytes: 10, expiresMs: Date.UTC(2027, 0, 31, 12) },
        { token: 'another-token-of-22-chars', nickname: 'you' },
      ],
    );
  });

  test.each([
    ['{', 'FILE:1: The line is not JSON.'],
    ['{"token":"short","nickname":"x"}', 'FILE:1: token must have 22 to 256 characters.'],
    [`{"token":"${TOKEN} ","nickname":"x"}`, 'FILE:1: token must be letters'],
    [`{"token":"${TOKEN}"}`, 'FILE:1: nickname is missing.'],
    [`{"token":"${TOKEN}","nickname":"x","expires":"soon"}`, 'FILE:1: expires must be a date'],
    [`{"token":"${TOKEN}","nickname":"x","admin":true}`, 'FILE:1: admin is not known.'],
    [`{"token":"${TOKEN}","nickname":"x"}\n{"token":"${TOKEN}","nickname":"y"}`, 'has the same token twice'],
  ])('%s is refused with a sentence that does not say the token', async (line, sentence) => {
    const said = await tokensOf(...line.split('\n'));
    expect(said).toContain(sentence);
    expect(said).not.toContain(TOKEN);
  });

  test('that is missing is named', () => {
    expect(() => readAdmitFile('/nowhere/tokens')).toThrow('The file of tokens cannot be read');
  });
});
