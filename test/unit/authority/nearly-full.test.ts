import { describe, expect, test } from 'vitest';
import { CAPS } from '../../../src/model/caps.ts';
import { get, put, workshop } from '../../support/workshop.ts';

const DUE = (CAPS.targetsMax * CAPS.warnPercent) / 100;

describe('a queue that fills up', () => {
  test('[CP-1] at 80 % the agent is told in that call and the person at once, each once; and it is shown while it is so', async () => {
    const { agent, alarms, authority, idOf, person } = await workshop();
    const port = await agent('one');
    for (let n = 1; n < DUE; n++) await put(port, `n${n}`, 'x');
    expect([alarms, authority.status().sessions[0]?.nearlyFull]).toEqual([[], null]);
    const { notices } = await put(port, `n${DUE}`, 'x');
    const said = `The queue is 80 % full: ${DUE} of ${CAPS.targetsMax} targets`;
    expect(notices).toEqual([expect.stringContaining(said)]);
    expect(alarms).toEqual([expect.stringContaining(`test-agent 1: ${said}`)]);
    expect(authority.status().sessions[0]?.nearlyFull).toContain(said);
    expect((await put(port, 'more', 'x')).notices).toEqual([]);
    expect(alarms).toHaveLength(1);
    await person.reject([idOf(1), idOf(2), idOf(3)]);
    expect(authority.status().sessions[0]?.nearlyFull).toBeNull();
  });

  test('[CP-1] [CP-4] an agent that went away before it heard is told when it is back, also after a restart', async () => {
    const before = await workshop();
    const port = await before.agent('one');
    for (let n = 1; n < DUE; n++) await put(port, `n${n}`, 'x');
    const asked = put(port, `n${DUE}`, 'x');
    await port.close();
    expect((await asked).notices, 'nobody is there to read it').toEqual([]);
    const after = await before.reopen();
    const back = await after.agent('one');
    expect((await get(back, 'x')).notices).toEqual([expect.stringContaining('80 % full')]);
    expect((await get(back, 'x')).notices).toEqual([]);
  });
});
