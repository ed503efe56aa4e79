import type { AgentPort } from '../../../src/model/agent-port.ts';
import { lineSplitter } from '../../../src/door/frame.ts';
import { AGENT_METHODS } from '../../../src/door/agent-messages.ts';
import { OWNER_METHODS } from '../../../src/door/owner-messages.ts';
import { serveAgentDoor, serveOwnerDoor } from '../../../src/door/serve.ts';
import { parseDeviceId, parseDigest, parseWorkspaceId } from '../../../src/model/ids.ts';
import type { OwnerPort } from '../../../src/model/owner-port.ts';
import { bytesOf } from '../../support/fuzz-dice.ts';
import { linkPair } from '../../support/link-pair.ts';
import { anyDoorInput, helloLine, type DoorInput } from './door-inputs.ts';
import { target, type Bench } from './target.ts';

export const AGENT_DOOR = doorTarget('agent', 90);
export const OWNER_DOOR = doorTarget('owner', 60);

/** Bytes on a connection of a door: whatever they are, the port behind it is asked for nothing that it does not offer. */
function doorTarget(door: DoorInput['door'], share: number) {
  return target<DoorInput>({
    name: `${door} door`,
    share,
    make: (dice) => anyDoorInput(dice, door),
    open: async () => new DoorBench(),
  });
}

interface Asked {
  readonly method: string;
  readonly request: unknown;
}

class DoorBench implements Bench<DoorInput> {
  async feed({ door, greeted, hex }: DoorInput): Promise<string | undefined> {
    const { a, b } = linkPair();
    const bugs: unknown[] = [];
    const asked: Asked[] = [];
    const onBug = (thrown: unknown): void => void bugs.push(thrown);
    // reason: a stand-in for every method there is, and for those there are not
    if (door === 'owner') serveOwnerDoor({ link: b, onBug, port: recording(asked, OWNER_METHODS) as OwnerPort });
    else
      serveAgentDoor({
        link: b,
        onBug,
        // reason: as above
        open: async () => ({ session: 's-1', port: recording(asked, AGENT_METHODS) as AgentPort }),
      });
    const answers: string[] = [];
    a.start({ line: (text) => answers.push(text), fault: () => undefined, end: () => undefined });
    if (greeted) b.receive(helloLine(door));
    const splitter = lineSplitter({ line: (text) => b.receive(text), fault: () => b.breakFraming() });
    splitter.push(bytesOf(hex));
    await settled();
    a.close();
    if (bugs.length > 0) throw bugs[0];
    return misheard(asked) ?? misspoken(answers);
  }

  compare(): undefined {
    return undefined;
  }

  async close(): Promise<void> {
    // Every connection ends with its input.
  }
}

/** Answers come within a few turns of the microtask queue. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 24; turn += 1) await Promise.resolve();
}

/** A port that keeps what it is asked. A method that the door does not have would be a way around it. */
function recording(asked: Asked[], methods: Readonly<Record<string, unknown>>): unknown {
  const answer = (method: string) => async (request: unknown, more: unknown) => {
    asked.push({ method, request: more === undefined ? request : [request, more] });
    return {};
  };
  const port = Object.fromEntries(Object.keys(methods).map((method) => [method, answer(method)] as const));
  return { ...port, close: async () => undefined };
}

type Judge = (request: never) => boolean;
const isText = (value: unknown): boolean => typeof value === 'string';

/** What a port may believe of a request without a look of its own. */
const PROMISED: Readonly<Record<string, Judge>> = {
  call: ({ callId, tool }: { callId: unknown; tool: unknown }) => isText(tool) && (callId === null || isText(callId)),
  withdraw: ([ids, reason]: [unknown[], unknown]) => ids.every(isText) && (reason === null || isText(reason)),
  wait: ({ ids, timeoutMs }: { ids: unknown[]; timeoutMs: number }) => ids.every(isText) && timeoutMs <= 25_000,
  openWorkspace: ({ adopt, dir }: { adopt: unknown; dir: unknown }) => isText(dir) && typeof adopt === 'boolean',
  queue: ({ workspace }: { workspace: unknown }) => parseWorkspaceId(workspace).ok,
  blob: ({ hash }: { hash: unknown }) => parseDigest(hash).ok,
  decide: ({ decisions }: { decisions: { payload: unknown; signature: string }[] }) =>
    decisions.length <= 512 && decisions.every((one) => isText(one.payload) && /^[0-9a-f]{128}$/.test(one.signature)),
  revokeDevice: ({ device }: { device: unknown }) => parseDeviceId(device).ok,
  setDeviceRight: ({ device, right }: { device: unknown; right: string }) =>
    parseDeviceId(device).ok && ['view', 'reject-only', 'approve-reversible', 'approve-all'].includes(right),
};

function misheard(asked: readonly Asked[]): string | undefined {
  const wrong = asked.find(({ method, request }) => {
    const judge = PROMISED[method];
    // reason: each judge looks at what its own method is given
    return judge !== undefined && !judge(request as never);
  });
  return wrong && `the port is asked for ${wrong.method} with ${JSON.stringify(wrong.request)}`;
}

/** Every line that goes back is an answer, and every refusal says why. */
function misspoken(answers: readonly string[]): string | undefined {
  const wrong = answers.find((line) => {
    const { error, result } = JSON.parse(line) as { error?: { code: unknown; message: unknown }; result?: unknown };
    if (error === undefined) return result === undefined;
    return !isText(error.code) || !isText(error.message) || error.code === 'effect-unknown';
  });
  return wrong && `it answers ${wrong.slice(0, 300)}`;
}
