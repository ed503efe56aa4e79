import { describe, expect, test } from 'vitest';
import { WAKE_LIMITS } from '../../../src/authority/wake.ts';
import type { AgentPort, SessionHello, Wake } from '../../../src/model/agent-port.ts';
import { get, put, workshop, type Workshop } from '../../support/workshop.ts';

const HELLO: SessionHello = {
  name: 'one',
  client: { name: 'test-agent', version: '1' },
  transportId: null,
  host: 'mcp',
  workspaceDir: '/shelf',
};
const MINUTE_MS = 60_000;

interface Room extends Workshop {
  readonly port: AgentPort;
  readonly woken: (readonly string[])[];
  /** Proposes and has it rejected: one notice. */
  reject(name: string): Promise<void>;
  later(ms: number): Promise<void>;
}

/** An agent whose host can wake it, or can not. */
async function room(wake: Wake | 'cannot' = async () => undefined): Promise<Room> {
  const shop = await workshop();
  const woken: (readonly string[])[] = [];
  const host: Wake = async (notices) => {
    if (wake !== 'cannot') await wake(notices);
    woken.push(notices);
  };
  const port = await shop.authority.agent(HELLO, wake === 'cannot' ? {} : { wake: host });
  return {
    ...shop,
    port,
    woken,
    reject: async (name) => {
      const answer = await put(port, name, 'x');
      if (answer.type !== 'simulated') throw new Error('it is queued');
      await shop.person.reject([answer.actionId], `not ${name}`);
    },
    later: async (ms) => {
      shop.clock.advance(ms);
      await shop.settled();
    },
  };
}

describe('an agent that asks nothing', () => {
  test('[SM-12] is woken a minute after the first of what it must be told, with all of it, once', async () => {
    const { later, port, reject, woken } = await room();
    await reject('a');
    await later(MINUTE_MS / 2);
    await put(port, 'other', 'x');
    await later(MINUTE_MS);
    expect(woken, 'its own call has told it').toEqual([]);
    await reject('b');
    await later(MINUTE_MS - 1);
    expect(woken).toEqual([]);
    await later(1);
    expect(woken).toHaveLength(1);
    expect(woken[0]?.join('\n')).toContain('not b');
    expect((await get(port, 'x')).notices).toEqual([]);
    await later(10 * MINUTE_MS);
    expect(woken).toHaveLength(1);
  });

  test('[SM-12] what is decided in one go is told in one go', async () => {
    const shop = await room();
    const ids = [];
    for (const name of ['a', 'b', 'c']) {
      const answer = await put(shop.port, name, 'x');
      if ('actionId' in answer) ids.push(answer.actionId);
    }
    for (const id of ids) await shop.person.reject([id]);
    await shop.later(MINUTE_MS);
    expect(shop.woken.map((notices) => notices.length)).toEqual([3]);
  });

  test('[SM-12] is woken a few times an hour and no more; the rest waits until then', async () => {
    const { later, person, authority, port, woken } = await room();
    const { perHourMax } = WAKE_LIMITS;
    for (let n = 0; n < perHourMax + 2; n++) {
      const quiet = await put(port, `n${n}`, 'x');
      if (quiet.type === 'simulated') await person.reject([quiet.actionId]);
      await later(MINUTE_MS);
    }
    expect(woken).toHaveLength(perHourMax);
    expect(authority.status().sessions[0]?.wakes).toBe(true);
    await later(60 * MINUTE_MS);
    expect(woken.length).toBe(perHourMax + 1);
  });

  test('[SM-12] a host that fails to wake it loses nothing: it is told at its next call', async () => {
    const shop = await room(() => Promise.reject(new Error('the host is away')));
    await shop.reject('a');
    await shop.later(MINUTE_MS);
    expect(shop.alarms).toEqual([expect.stringContaining('the host is away')]);
    expect((await get(shop.port, 'x')).notices).toEqual([expect.stringContaining('not a')]);
  });

  test('[SM-12] what was not delivered before a restart is delivered after it', async () => {
    const shop = await room(() => new Promise(() => undefined));
    await shop.reject('a');
    await shop.later(MINUTE_MS);
    const after = await shop.reopen();
    const woken: (readonly string[])[] = [];
    await after.authority.agent(HELLO, { wake: async (notices) => void woken.push(notices) });
    await after.settled();
    after.clock.advance(MINUTE_MS);
    await after.settled();
    expect(woken).toEqual([[expect.stringContaining('not a')]]);
  });

  test('[SM-12] where no host can wake it, that is said, and it is told at its next call', async () => {
    const shop = await room('cannot');
    expect(shop.authority.status().sessions).toEqual([expect.objectContaining({ wakes: false })]);
    await shop.reject('a');
    await shop.later(10 * MINUTE_MS);
    expect((await get(shop.port, 'x')).notices).toHaveLength(1);
  });

  test('[SM-12] a connection that is gone wakes nobody', async () => {
    const { authority, clock, port, reject, settled, woken } = await room();
    await reject('a');
    await port.close();
    expect(authority.status().sessions.every(({ wakes }) => !wakes)).toBe(true);
    clock.advance(10 * MINUTE_MS);
    await settled();
    expect(woken).toEqual([]);
    const back = await authority.agent(HELLO);
    expect((await get(back, 'x')).notices).toHaveLength(1);
  });
});
