import type { ActionContent } from '../../src/model/content.ts';
import type { Dice, SimTime } from './contract.ts';
import type { WorldRates } from './rates.ts';
import { nextOf, REMOTE, Requests, scriptFor, type Request, type Script } from './requests.ts';

/** A surface was asked to begin an effect, or to take one back. */
export interface Call {
  readonly verb: 'apply' | 'revert';
  readonly key: string;
  readonly attempt: number;
  readonly content: ActionContent;
  readonly life: number;
}

/** What one idempotency key did to the world. */
export interface Effect {
  /** How often it happened. */
  count: number;
  /** How often it was taken back. */
  readonly reverts: number;
  /** The world answered something else than what it did. */
  readonly lied: boolean;
}

/** Milliseconds for which the keyed service knows a key again. */
export const KEY_WINDOW_MS = 10 * 60_000;

/**
 * The ground: named notes and four services behind it, deterministic. It counts effects by idempotency key, and does
 * what a world does: it hangs, answers late, lies, fails before and after the effect, and changes under us.
 */
export class World {
  readonly notes = new Map<string, string>();
  readonly requests = new Requests();
  readonly effects = new Map<string, Effect>();
  /** When the keyed service saw a key first. */
  readonly #seenMs = new Map<string, number>();
  readonly #dice: Dice;
  readonly #time: SimTime;
  readonly #occurred: (what: string) => void;
  #rates: WorldRates;
  onCall: (call: Call) => void = () => undefined;
  /** What transactional effects have done stands in the journal's own tables. */
  transacted: (key: string) => Pick<Effect, 'count' | 'reverts'> | undefined = () => undefined;
  /** Keys of effects by what they said, and those that were taken back. */
  readonly #keys = new Map<string, string>();
  readonly #gone = new Set<string>();
  readonly #landed = new Set<string>();
  /** Whose effect a note shows, and the keys of effects that somebody else has written over. */
  readonly #shows = new Map<string, string>();
  readonly #overwritten = new Set<string>();
  #outside = 0;
  branch = 'main';
  readonly #branches = new Map<string, ReadonlyMap<string, string>>();
  readonly #movedMs = new Map<string, number>();

  constructor(options: {
    readonly dice: Dice;
    readonly time: SimTime;
    readonly rates: WorldRates;
    readonly occurred: (what: string) => void;
  }) {
    this.#dice = options.dice;
    this.#time = options.time;
    this.#rates = options.rates;
    this.#occurred = options.occurred;
  }

  effect(key: string): Effect {
    const known = this.effects.get(key) ?? { count: 0, reverts: 0, lied: false };
    return { ...known, ...this.transacted(key) };
  }

  /** The life that was told for certain what became of this attempt of an effect. */
  toldLife(key: string, attempt: number): number | undefined {
    return this.requests.told.get(`${key} ${attempt}`);
  }

  /** Did this attempt of an effect change the world? Others may have had its key. */
  hasLanded(key: string, attempt: number): boolean {
    return this.#landed.has(`apply ${key} ${attempt}`);
  }

  /** A note is now as the effect with this key left it. */
  shows(name: string, key: string): void {
    this.#shows.set(name, key);
  }

  /** Has somebody else put something in the place of this effect, be it what stood there before? Then no look finds it. */
  isOverwritten(key: string): boolean {
    return this.#overwritten.has(key);
  }

  /** May a request with this key still change the world? */
  mayLand(key: string): boolean {
    return this.requests.all.some((request) => request.key === key && request.script.includes('land'));
  }

  /** Begins an effect; the scheduler takes it through its script. */
  begin<T>(call: Call, spec: Pick<Request, 'land' | 'answers'> & { readonly signal: AbortSignal }): Promise<T> {
    this.onCall(call);
    const script = scriptFor(this.#dice, this.#rates, { ...call, of: call.content.effectClass });
    if (script.name !== 'good') this.#occurred(`effect: ${call.verb} ${script.name}`);
    if (script.name === 'throws at once') throw new Error('the surface threw before it returned');
    if (script.name.startsWith('lies')) this.#set(call.key, { lied: true });
    return new Promise<T>((resolve, reject) => {
      this.requests.add({
        ...spec,
        land: () => {
          const instead = spec.land();
          if (instead === undefined) this.#landed.add(`${call.verb} ${call.key} ${call.attempt}`);
          return instead;
        },
        life: call.life,
        what: `${call.verb} ${call.content.kind.tag}`,
        key: call.key,
        attempt: call.attempt,
        remote: REMOTE.has(call.content.effectClass),
        script: [...script.steps],
        resolve: resolve as (value: unknown) => void,
        reject,
      });
    });
  }

  /** Something a surface looks up before it answers: at once, slowly, or never successfully. */
  ask(what: string, life: number): Promise<void> {
    const fails = this.#dice.chance(this.#rates.askFails);
    if (fails) this.#occurred(`ask: ${what} fails`);
    if (!this.#dice.chance(this.#rates.askSlow))
      return fails ? Promise.reject(new Error(`${what} could not be looked up`)) : Promise.resolve();
    return new Promise((resolve, reject) => {
      const script: Script = fails ? ['throw'] : ['answer'];
      this.requests.add({
        life,
        what,
        key: '',
        remote: false,
        script,
        signal: undefined,
        land: () => undefined,
        answers: {},
        resolve: () => resolve(),
        reject,
      });
    });
  }

  /** The world counts one more effect of this key, unless the service knows the key again. */
  happened(key: string, { keyed, what = '' }: { readonly keyed: boolean; readonly what?: string }): void {
    if (what !== '') this.#keys.set(what, key);
    const seenMs = this.#seenMs.get(key);
    const knows = keyed && seenMs !== undefined && this.#time.nowMs() - seenMs < KEY_WINDOW_MS;
    if (keyed && seenMs === undefined) this.#seenMs.set(key, this.#time.nowMs());
    if (!knows) this.#set(key, { count: this.effect(key).count + 1 });
  }

  /** `key`: the revert's own. `what`: what the effect said, by which its service finds it. */
  reverted(key: string, what = ''): void {
    this.#gone.add(this.#keys.get(what) ?? '');
    this.#set(key, { reverts: this.effect(key).reverts + 1 });
  }

  /** Was what this key did taken back? */
  isGone(key: string): boolean {
    return this.#gone.has(key);
  }

  /** Does the keyed service still know this key, if it ever saw it? */
  knowsKey(key: string): boolean {
    const seenMs = this.#seenMs.get(key);
    return seenMs !== undefined && this.#time.nowMs() - seenMs < KEY_WINDOW_MS;
  }

  /** Takes one request one step on. */
  step(request: Request): string {
    const next = nextOf(request);
    this.requests.perform(request, next);
    return `${request.what} ${request.key.slice(0, 6)} ${next ?? 'nothing'}`;
  }

  /** Another branch is checked out: all notes are exchanged at once. */
  checkout(): string {
    this.#branches.set(this.branch, new Map(this.notes));
    this.branch = this.branch === 'main' ? 'other' : 'main';
    const there = this.#branches.get(this.branch) ?? new Map(this.notes);
    this.notes.clear();
    for (const name of this.#shows.keys()) this.#writtenOver(name);
    for (const [name, text] of there) this.notes.set(name, text);
    this.#occurred('ground: another branch');
    return this.branch;
  }

  /** How a note is, for whoever watches all of them. */
  stampOf(name: string): { readonly atMs: number; readonly mark: string } {
    return { atMs: this.#movedMs.get(name) ?? 0, mark: this.notes.get(name) ?? 'gone' };
  }

  /** Somebody else changes a note. */
  moveGround(names: readonly string[]): string {
    const name = this.#dice.of(names);
    this.#movedMs.set(name, this.#time.nowMs());
    this.#writtenOver(name);
    if (this.#dice.chance(20)) this.notes.delete(name);
    else this.notes.set(name, `outside ${++this.#outside}`);
    this.#occurred('ground: moved');
    return name;
  }

  /** The process that asked is gone: nobody hears the answers; what has left it may still arrive. */
  end(life: number): void {
    this.requests.end(life, this.#dice);
  }

  heal(rates: WorldRates): void {
    this.#rates = rates;
  }

  #writtenOver(name: string): void {
    const key = this.#shows.get(name);
    if (key !== undefined) this.#overwritten.add(key);
    this.#shows.delete(name);
  }

  #set(key: string, change: Partial<Effect>): void {
    this.effects.set(key, { ...this.effect(key), ...change });
  }
}
