import { DOOR_LIMITS } from '../../../src/door/limits.ts';
import { utf8 } from '../../../src/base/bytes.ts';
import { HELLO } from '../../support/hello.ts';
import { anyOf, hexOf, sizeBy } from '../../support/fuzz-dice.ts';
import type { Dice } from '../../support/hostile-dice.ts';
import { mutated, noise } from './mutate.ts';
import { ODD_TEXTS, oddValue, withOneChange } from './values.ts';

/** What comes over one connection of a door, as bytes. */
export interface DoorInput {
  readonly door: 'agent' | 'owner';
  /** Whether an honest hello came first. */
  readonly greeted: boolean;
  readonly hex: string;
}

const WORKSPACE = `w-${'a'.repeat(26)}`;
const ACTION = `a-${'b'.repeat(26)}`;
const DEVICE = `d-${'c'.repeat(26)}`;
const DIGEST = 'd'.repeat(64);

/** An honest request of every method. */
const REQUESTS: Readonly<Record<DoorInput['door'], Readonly<Record<string, unknown>>>> = {
  agent: {
    hello: { protocol: DOOR_LIMITS.protocol, hello: HELLO },
    tools: {},
    call: { tool: 'write_file', arguments: { path: 'a', content: 'b' }, callId: null },
    status: {},
    withdraw: { ids: [ACTION], reason: null },
    wait: { ids: [ACTION], forRoom: false, timeoutMs: 0 },
  },
  owner: {
    hello: { protocol: DOOR_LIMITS.protocol },
    status: {},
    openWorkspace: { dir: '/tmp/x', adopt: false, exclusive: false },
    queue: { workspace: WORKSPACE, all: true },
    show: { workspace: WORKSPACE, id: ACTION },
    blob: { workspace: WORKSPACE, hash: DIGEST },
    heartbeat: { workspace: WORKSPACE },
    decide: { workspace: WORKSPACE, decisions: [{ payload: '{}', signature: 'ab'.repeat(64) }] },
    waitForChange: { workspace: WORKSPACE, known: { [ACTION]: 'pending' }, timeoutMs: 0 },
    panelLink: { by: 'panel' },
    devices: {},
    revokeDevice: { device: DEVICE },
    setDeviceRight: { device: DEVICE, right: 'view' },
    down: {},
  },
};

export function helloLine(door: DoorInput['door']): string {
  return JSON.stringify({ id: 1, method: 'hello', params: REQUESTS[door]['hello'] });
}

export function anyDoorInput(dice: Dice, door: DoorInput['door']): DoorInput {
  return { door, greeted: dice.chance(0.85), hex: hexOf(anyBytes(dice, door)) };
}

function anyBytes(dice: Dice, door: DoorInput['door']): Uint8Array {
  const line = anyLine(dice, door);
  if (dice.chance(0.7)) return utf8(`${line}\n`);
  const whole = utf8(`${line}\n`);
  return dice.chance(0.15) ? noise(dice, 200) : mutated(whole, dice, [whole, utf8(`${helloLine(door)}\n`)]);
}

function anyLine(dice: Dice, door: DoorInput['door']): string {
  const [method, params] = anyOf(dice, Object.entries(REQUESTS[door]));
  const request: Record<string, unknown> = { id: 2 + dice.roll(5), method, params };
  return dice.pick<() => string>([
    () => JSON.stringify(request),
    () => JSON.stringify({ ...request, params: withOneChange(dice, params) }),
    () => JSON.stringify({ ...request, params: withOneChange(dice, withOneChange(dice, params)) }),
    () => JSON.stringify({ ...request, params: oddValue(dice) }),
    () => JSON.stringify(withOneChange(dice, request)),
    () => JSON.stringify({ ...request, method: anyOf(dice, [...ODD_TEXTS, 'decide', 'hasOwnProperty', 'close']) }),
    () => JSON.stringify({ ...request, id: oddValue(dice) }),
    () => JSON.stringify(oddValue(dice)) ?? '',
    () => `${JSON.stringify(request).slice(0, -1)},"id":9}`,
    () => `{"__proto__":{"method":"down"},"id":2,"method":"status","params":{}}`,
    () => `{"id":2,"method":"call","params":${'['.repeat(sizeBy(dice, 20_000))}`,
    () => JSON.stringify({ ...request, params: JSON.parse(`${'['.repeat(400)}${']'.repeat(400)}`) }),
  ])();
}
