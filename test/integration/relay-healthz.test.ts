import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, test } from 'vitest';
import { VERSION } from '../../src/base/version.ts';

const MAIN = fileURLToPath(new URL('../../sync-server/main.ts', import.meta.url));

describe('the relay as a process', () => {
  const started: ChildProcessWithoutNullStreams[] = [];
  afterEach(() => {
    for (const relay of started.splice(0)) relay.kill('SIGKILL');
  });

  function start(...args: readonly string[]): ChildProcessWithoutNullStreams {
    const relay = spawn(process.execPath, ['--import', 'tsx', MAIN, ...args]);
    started.push(relay);
    return relay;
  }

  test('says where it listens, answers /healthz, and ends at SIGTERM', async () => {
    const relay = start('--port', '0');
    const url = await urlOf(relay);

    const health = await fetch(`${url}/healthz`);
    expect(health.status).toBe(200);
    expect(health.headers.get('content-type')).toBe('application/json');
    expect(await health.json()).toEqual({ status: 'ok', version: VERSION });

    relay.kill('SIGTERM');
    expect(await once(relay, 'exit')).toEqual([0, null]);
    await expect(fetch(`${url}/healthz`)).rejects.toThrow('fetch failed');
  });

  test('has nothing else, and says so', async () => {
    const url = await urlOf(start('--port=0'));
    for (const request of [new Request(`${url}/`), new Request(`${url}/healthz`, { method: 'POST', body: '{}' })]) {
      const answer = await fetch(request);
      expect(answer.status).toBe(404);
      expect(await answer.text()).toContain('nothing here');
    }
  });

  test('refuses a taken port and a port that is none, in one sentence', async () => {
    const url = await urlOf(start('--port', '0'));
    const taken = start('--port', new URL(url).port);
    expect(await endOf(taken)).toEqual({ code: 1, said: expect.stringMatching(/^The relay cannot listen on .*\.\n$/) });
    const none = start('--port', '70000');
    expect(await endOf(none)).toEqual({ code: 2, said: expect.stringMatching(/^The port must be .*"70000"\.\n$/) });
  });
});

async function urlOf(relay: ChildProcessWithoutNullStreams): Promise<string> {
  for await (const line of createInterface(relay.stdout)) {
    const url = /^Relay on (http:\S+)$/.exec(line)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error('The relay ended before it said where it listens.');
}

async function endOf(
  relay: ChildProcessWithoutNullStreams,
): Promise<{ readonly code: unknown; readonly said: string }> {
  let said = '';
  relay.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const [code] = await once(relay, 'close');
  return { code, said };
}
