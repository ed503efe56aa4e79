import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CountersignError } from '../../src/base/errors.ts';
import type { AgentPort } from '../../src/model/agent-port.ts';
import type { ActionState } from '../../src/model/action.ts';
import type { ActionId } from '../../src/model/ids.ts';
import type { Wish } from '../../src/authority/local-device.ts';
import type { CrashHome, CrashPlace } from './crash-home.ts';

/** What a child says the product answered: nothing of this may be lost by a crash. */
export type Said =
  | { readonly say: 'begin' | 'end' | 'ready' }
  | { readonly say: 'proposed'; readonly id: ActionId; readonly name: string }
  | { readonly say: 'received'; readonly id: ActionId; readonly kind: Wish['kind'] }
  | { readonly say: 'state'; readonly id: ActionId; readonly state: ActionState }
  | { readonly say: 'full' | 'alarm' | 'stopped' | 'refused'; readonly why: string }
  | { readonly say: 'served'; readonly open: number };

export type Say = (said: Said) => void;

/** Tools of the scenes by effect class. */
export const TOOL_OF = {
  E0: 'count_row',
  E1: 'edit_file',
  E2: 'post_keyed',
  E3: 'send_message',
  E4: 'call_hook',
} as const;
export type SceneClass = keyof typeof TOOL_OF;
// reason: the keys of the constant above
export const SCENE_CLASSES = Object.keys(TOOL_OF) as readonly SceneClass[];

/** Proposes one effect; what it says when it happens is its name, once. Asked again when the disk was full. */
export async function proposed(
  agent: AgentPort,
  effectClass: SceneClass,
  { name, place, say }: { readonly name: string; readonly place: CrashPlace; readonly say: Say },
): Promise<ActionId | undefined> {
  const call = { tool: TOOL_OF[effectClass], arguments: argumentsOf(effectClass, name, place), callId: name };
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const answer = await agent.call(call);
    if (answer.type === 'simulated' || answer.type === 'awaiting') {
      say({ say: 'proposed', id: answer.actionId, name });
      return answer.actionId;
    }
    if (answer.type !== 'refused' || answer.code !== 'full') {
      say({ say: 'refused', why: JSON.stringify(answer) });
      return undefined;
    }
    say({ say: 'full', why: answer.why });
  }
  return undefined;
}

const TRIES_MAX = 3;

const BEFORE = 'before\n';

/** A file that holds its name once for each time the effect happened. */
export function fileOf(name: string): string {
  return `${name}.txt`;
}

function argumentsOf(effectClass: SceneClass, name: string, place: CrashPlace): unknown {
  if (effectClass !== 'E1') return { name };
  stand(name, place);
  return { path: fileOf(name), edits: [{ oldText: BEFORE, newText: `${BEFORE}${name}\n` }] };
}

/** The person's own file, as it is before. A scene calls this before its calls are counted. */
export function stand(name: string, { workspace }: CrashPlace): void {
  const path = join(workspace, fileOf(name));
  if (!existsSync(path)) writeFileSync(path, BEFORE);
}

/** Signs once, and sends that until there is a receipt: what a device with an outbox does. */
export async function decided(home: CrashHome, wish: Wish, say: Say): Promise<void> {
  const signed = home.person.signed(wish);
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    try {
      const { receipts } = await home.authority.decide([signed]);
      for (const { id, result, why } of home.resultsOf(receipts)) {
        if (result === 'received') say({ say: 'received', id, kind: wish.kind });
        else say({ say: 'refused', why: `${wish.kind}: ${result}, ${String(why)}` });
      }
      return;
    } catch (error) {
      if (!CountersignError.is(error) || error.code !== 'full') throw error;
      say({ say: 'full', why: error.message });
      // Refused, and yet the queue is served.
      say({ say: 'served', open: home.authority.queue({ all: false }).length });
    }
  }
}

const MOVING: ReadonlySet<ActionState> = new Set(['approved', 'applying', 'reverting']);

/**
 * Waits until nothing moves by itself any more, and says how everything ended. What does not move for `stillMs` is stuck,
 * and its state says so.
 */
export async function settled(home: CrashHome, say: Say, stillMs: number): Promise<void> {
  const { authority } = home;
  for (;;) {
    const moving = authority.queue({ all: true }).filter(({ state }) => MOVING.has(state));
    const known = Object.fromEntries(moving.map(({ id, state }) => [id, state]));
    if (moving.length === 0 || (await authority.waitForChange({ known, timeoutMs: stillMs })).length === 0) break;
  }
  for (const { id, state } of authority.queue({ all: true })) say({ say: 'state', id, state });
}
