import { CountersignError } from '../../src/base/errors.ts';
import type { EffectClass } from '../../src/model/content.ts';
import type { Dice } from './contract.ts';
import type { WorldRates } from './rates.ts';

/** What still becomes of a request, in order. `wait`: until whoever asked has given up. */
export type ScriptStep = 'land' | 'answer' | 'fail' | 'doubt' | 'garbage' | 'throw' | 'throw none' | 'lie' | 'wait';
export type Script = ScriptStep[];

/** Classes whose effect lies beyond this machine: a request may arrive after its sender died. */
export const REMOTE: ReadonlySet<EffectClass> = new Set<EffectClass>(['E2', 'E3', 'E4']);

export interface Request {
  readonly life: number;
  readonly what: string;
  readonly key: string;
  /** Which attempt of an effect it is; absent for a question. */
  readonly attempt?: number;
  readonly remote: boolean;
  script: Script;
  readonly signal: AbortSignal | undefined;
  /** Changes the world; an answer instead of `undefined` says that it could not. */
  readonly land: () => unknown;
  /** What it answers: when all is well, when it failed, when it does not know. */
  readonly answers: { readonly good?: unknown; readonly failed?: unknown; readonly doubt?: unknown };
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  dead?: boolean;
}

interface Plan {
  readonly name: string;
  readonly steps: Script;
}

const GOOD: Plan = { name: 'good', steps: ['land', 'answer'] };
const REFUSES: Plan = { name: 'refuses', steps: ['fail'] };
const WRONG: readonly Plan[] = [
  REFUSES,
  { name: 'throws before it began', steps: ['throw none'] },
  { name: 'throws at once', steps: ['throw'] },
  { name: 'throws before', steps: ['throw'] },
  { name: 'throws after', steps: ['land', 'throw'] },
  { name: 'hangs before', steps: [] },
  { name: 'hangs after', steps: ['land'] },
  { name: 'lands after its deadline', steps: ['wait', 'land', 'answer'] },
  { name: 'answers after its deadline', steps: ['land', 'wait', 'answer'] },
  { name: 'fails after its deadline', steps: ['wait', 'fail'] },
  { name: 'does not know, and it happened', steps: ['land', 'doubt'] },
  { name: 'does not know, and it did not', steps: ['doubt'] },
  { name: 'answers what cannot be stored', steps: ['land', 'garbage'] },
];
const LIES: readonly Plan[] = [
  { name: 'lies that it happened', steps: ['answer'] },
  { name: 'lies that it failed', steps: ['land', 'lie'] },
];

const LATE = WRONG.filter(({ steps }) => steps.includes('wait') && steps.includes('land'));
/** What comes of an attempt after one that hangs: nothing that would be taken for it. */
const AGAIN = WRONG.filter(({ name }) => ['refuses', 'hangs before', 'does not know, and it did not'].includes(name));

/** Everything a request can come to but what it should. */
export const EFFECT_FAULTS: readonly string[] = [...WRONG, ...LIES].map(({ name }) => name);

export function scriptFor(
  dice: Dice,
  rates: WorldRates,
  { of, verb, attempt }: { readonly of: EffectClass; readonly verb: 'apply' | 'revert'; readonly attempt: number },
): Plan {
  const fails = verb === 'revert' ? (rates.revertFails ?? rates.effectFails) : rates.effectFails;
  if (!dice.chance(fails)) return GOOD;
  if (rates.again === 'refuses' && (attempt > 1 || rates.late === 0) && dice.chance(80)) return REFUSES;
  if (rates.late > 0 && attempt > 1) return dice.of(AGAIN);
  if (rates.late > 0 && of !== 'E0' && dice.chance(rates.late)) return dice.of(LATE);
  if (rates.lies && dice.chance(25)) return dice.of(LIES);
  // What stands in our own tables is there or not, in one go.
  if (of === 'E0' && verb === 'apply') return dice.of(WRONG.slice(0, 2));
  return dice.of(WRONG);
}

const CONCLUSIVE: ReadonlySet<ScriptStep> = new Set<ScriptStep>(['answer', 'fail', 'lie', 'throw none']);

/** The step that can be taken now. */
export function nextOf(request: Request): ScriptStep | undefined {
  const [next, after] = request.script;
  if (request.dead === true) return next === 'wait' ? after : next;
  if (next !== 'wait') return next;
  return request.signal?.aborted === true ? after : undefined;
}

/** Does what comes next come after its deadline, or after who asked has died? */
export function isLate({ dead, script }: Request): boolean {
  return dead === true || script[0] === 'wait';
}

/** Everything that was asked of the world and is not over. */
export class Requests {
  #all: Request[] = [];
  /** By key and attempt: the life that got an answer which says what happened. */
  readonly told = new Map<string, number>();

  get all(): readonly Request[] {
    return this.#all;
  }

  enabled(): readonly Request[] {
    return this.#all.filter((request) => nextOf(request) !== undefined);
  }

  add(request: Request): void {
    this.#all.push(request);
  }

  perform(request: Request, next: ScriptStep | undefined): void {
    if (request.script[0] === 'wait') request.script.shift();
    request.script.shift();
    if (next !== undefined && CONCLUSIVE.has(next) && request.dead !== true && request.attempt !== undefined)
      this.told.set(`${request.key} ${request.attempt}`, request.life);
    switch (next) {
      case 'land':
        this.#land(request);
        break;
      case 'answer':
        request.resolve(request.answers.good);
        break;
      case 'fail':
      case 'lie':
        request.resolve(request.answers.failed);
        break;
      case 'doubt':
        request.resolve(request.answers.doubt);
        break;
      case 'garbage':
        request.resolve({ type: 'applied', evidence: { size: 1n }, drift: null });
        break;
      case 'throw':
        request.reject(new Error('the connection broke'));
        break;
      case 'throw none':
        request.reject(new CountersignError('denied', 'The service would not hear of it.'));
        break;
      case 'wait':
      case undefined:
        break;
    }
    if (request.script.length === 0) this.#all = this.#all.filter((one) => one !== request);
  }

  /** Its process is gone. What was local has happened or never will; what was sent may still arrive. */
  end(life: number, dice: Dice): void {
    for (const request of this.#all.filter((one) => one.life === life && one.dead !== true)) {
      request.dead = true;
      const lands = request.script.includes('land') && dice.chance(50);
      if (lands && !request.remote) request.land();
      request.script = lands && request.remote ? ['land'] : [];
    }
    this.#all = this.#all.filter((request) => request.script.length > 0);
  }

  #land(request: Request): void {
    const instead = request.land();
    if (instead === undefined || request.dead === true) return;
    request.script = [];
    request.resolve(instead);
  }
}
