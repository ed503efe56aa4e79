import { assert } from '../base/assert.ts';
import { canonicalBytes, type Json, type JsonObject } from '../base/canonical-json.ts';
import { equalBytes, textOf } from '../base/bytes.ts';
import type { EpochMs } from '../base/clock.ts';
import { CountersignError } from '../base/errors.ts';
import type { ApplyContext, Described, Outcome, Surface, SurfacePack } from '../authority/ports.ts';
import type { Intent } from '../model/action.ts';
import type { ActionContent } from '../model/content.ts';
import { digestFrom } from '../model/digest.ts';
import { actionId, workspaceId, type Digest } from '../model/ids.ts';
import { valueAt } from '../model/json-pointer.ts';
import { printReference, REFERENCE_PREFIX, referencesIn, type Reference } from '../model/reference.ts';
import type { ToolResult } from '../model/tool-result.ts';
import { Overlay } from '../overlay/overlay.ts';
import { StagedWriter, TrackedView } from '../overlay/tracked.ts';

/** A fresh world for one case, and how to look at it. */
export interface SurfaceWorld {
  readonly pack: SurfacePack;
  /** Everything an effect could have changed, as plain data: two equal worlds have equal snapshots. */
  snapshot(): Promise<unknown>;
  /** Somebody else changes what the call is about, so that it no longer fits. */
  disturb(): Promise<void>;
}

export interface SurfaceCall {
  readonly tool: string;
  readonly arguments: JsonObject;
}

export interface SurfaceContractOptions {
  /** Makes the world anew; called once a case. */
  world(): Promise<SurfaceWorld>;
  /** The call under test; it must change something in a fresh world. */
  readonly call: SurfaceCall;
  /** Reads whose answers the call changes, or could. */
  readonly reads: readonly SurfaceCall[];
  readonly sha256: (bytes: Uint8Array) => Uint8Array;
}

export interface ContractCase {
  readonly title: string;
  /** Rejects with a sentence when the surface breaks the contract. */
  run(): Promise<void>;
}

/**
 * What every surface promises (SM-3), as cases for any test runner. A surface without `simulate` or `revert` promises
 * less, and gets the cases that remain.
 */
export function surfaceContract(options: SurfaceContractOptions): readonly ContractCase[] {
  const on = (run: (bench: Bench) => Promise<void>) => async (): Promise<void> => run(await Bench.make(options));
  return [
    { title: 'simulate-then-read equals apply-then-read', run: on(readsAgree) },
    { title: 'a simulation changes nothing in the world', run: on(simulationIsQuiet) },
    { title: 'revert(apply(x)) restores the recorded pre-state', run: on(revertRestores) },
    { title: 'a stale apply is reported, never swallowed', run: on(staleIsReported) },
    { title: 'a probe tells what is from what is not', run: on(probeKnows) },
    { title: 'no unresolved reference leaves', run: on(referencesStay) },
  ];
}

async function readsAgree(bench: Bench): Promise<void> {
  if (bench.content.awaitDecision) return;
  const simulated = await bench.read('overlay');
  const outcome = await bench.apply();
  expect(outcome.type === 'applied', 'applying in an undisturbed world succeeds');
  const named = namesOf(bench, outcome);
  const wanted = simulated.map((text) => text.replaceAll(MINTED, (reference) => named.get(reference) ?? reference));
  expectSame(await bench.read('ground'), wanted, 'what was read while it waited is what is read once it is applied');
}

async function simulationIsQuiet(bench: Bench): Promise<void> {
  expectSame(await bench.world.snapshot(), bench.before, 'describing and simulating leaves the world as it was');
}

async function revertRestores(bench: Bench): Promise<void> {
  const { surface } = bench;
  if (surface.revert === undefined || !bench.content.reversible) return;
  const outcome = await bench.apply();
  assert(outcome.type === 'applied', 'applying in an undisturbed world succeeds');
  const applied = {
    attempt: 1,
    atMs: NOW_MS,
    evidence: outcome.evidence,
    drift: outcome.drift,
    known: 'surface',
  } as const;
  const feasible = (await surface.canRevert?.({ ...bench.context, applied }))?.feasible ?? true;
  expect(feasible, 'what has just been applied can be reverted');
  const reverted = await surface.revert({ ...bench.context, applied }, new AbortController().signal);
  expect(reverted.type === 'reverted', `the revert succeeds, not: ${JSON.stringify(reverted)}`);
  expectSame(await bench.world.snapshot(), bench.before, 'the world is as it was before');
}

async function staleIsReported(bench: Bench): Promise<void> {
  await bench.world.disturb();
  const disturbed = await bench.world.snapshot();
  const look = await bench.surface.look?.(bench.context);
  expect(look === undefined || look.type === 'moved', 'a look at a world that moved says so');
  const outcome = await bench.apply();
  expect(outcome.type === 'failed', `applying to a world that moved fails, not: ${outcome.type}`);
  expectSame(await bench.world.snapshot(), disturbed, 'and changes nothing');
}

async function probeKnows(bench: Bench): Promise<void> {
  const probe = async () => (await bench.surface.probe?.(bench.context))?.answer;
  if (bench.surface.probe === undefined) return;
  expectSame(await probe(), 'not-applied', 'before it is applied a probe says not-applied');
  await bench.apply();
  expectSame(await probe(), 'applied', 'after it was applied a probe says applied');
}

/** What is made under a reference says its real name where it was declared, and no reference gets into the world. */
async function referencesStay(bench: Bench): Promise<void> {
  const { outputs = {} } = bench.surface;
  const undeclared = bench.minted.find(({ output }) => !Object.hasOwn(outputs, output));
  expect(undeclared === undefined, `what it simulates stands for outputs it declares, not: ${undeclared?.output}`);
  const outcome = await bench.apply();
  expect(outcome.type === 'applied', 'applying in an undisturbed world succeeds');
  const named = namesOf(bench, outcome);
  for (const output of Object.keys(outputs))
    expect(named.has(printReference({ output, maker: SELF })), `applying says which ${output} it made`);
  const said = `${textOf(canonicalBytes(outcome))} ${textOf(canonicalBytes(await bench.world.snapshot()))}`;
  expect(!said.includes(REFERENCE_PREFIX), 'no reference stands in the world, or in what it answers');
}

const MINTED = new RegExp(`${REFERENCE_PREFIX}[a-z0-9-]+:a-[a-z2-7]{26}`, 'gu');

/** What the references of the call came to be, as far as the outcome says it where that was declared. */
function namesOf({ surface }: Bench, outcome: Outcome): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  if (outcome.type !== 'applied') return names;
  const { evidence, result } = outcome;
  // reason: both are encoded as canonical JSON wherever they are kept
  const answered = { evidence, result: result ?? { content: [] } } as unknown as JsonObject;
  for (const [output, pointer] of Object.entries(surface.outputs ?? {})) {
    const value = valueAt(answered, pointer);
    const known = (typeof value === 'string' && value !== '') || typeof value === 'number';
    if (known) names.set(printReference({ output, maker: SELF }), String(value));
  }
  return names;
}

const NOW_MS: EpochMs = Date.UTC(2026, 0, 1);
const SELF = actionId(new Uint8Array(16));
const INTENT: Intent = { attempt: 1, idempotencyKey: '0'.repeat(32), atMs: NOW_MS, deadlineMs: NOW_MS + 60_000 };

/** One call, described and simulated in a fresh world. */
class Bench {
  readonly world: SurfaceWorld;
  readonly surface: Surface;
  readonly content: ActionContent;
  readonly context: ApplyContext;
  readonly before: unknown;
  /** References that stand in what the simulation answered or put. */
  readonly minted: readonly Reference[];
  readonly #overlay: Overlay;
  readonly #reads: readonly SurfaceCall[];

  private constructor(
    world: SurfaceWorld,
    parts: {
      surface: Surface;
      content: ActionContent;
      before: unknown;
      writer: StagedWriter;
      overlay: Overlay;
      minted: readonly Reference[];
      reads: readonly SurfaceCall[];
    },
  ) {
    this.world = world;
    this.surface = parts.surface;
    this.content = parts.content;
    this.before = parts.before;
    this.minted = parts.minted;
    this.context = { content: parts.content, intent: INTENT, blob: (hash) => parts.writer.blob(hash) };
    this.#overlay = parts.overlay;
    this.#reads = parts.reads;
  }

  static async make(options: SurfaceContractOptions): Promise<Bench> {
    const world = await options.world();
    const before = await world.snapshot();
    const surface = world.pack.surfaces.find((each) => each.tool.name === options.call.tool);
    assert(surface !== undefined, `the pack has the tool ${options.call.tool}`);
    const overlay = new Overlay();
    const hash = (bytes: Uint8Array): Digest => digestFrom(options.sha256(bytes));
    const writer = new StagedWriter({ overlay, by: SELF, hash, readBlob: missing });
    const described = await surface.describe(surface.tool.parse(options.call.arguments), writer);
    assert(!described.unchanged, 'the call changes something');
    const answer = described.awaitDecision ? undefined : await surface.simulate?.(described.effect, writer);
    // reason: both are encoded as canonical JSON wherever they are kept
    const minted = [...referencesIn([answer ?? null, writer.writes] as unknown as readonly Json[])];
    overlay.add(SELF, 1, writer.writes);
    const content = contentFor(surface, options.call, described);
    return new Bench(world, { surface, content, before, writer, overlay, minted, reads: options.reads });
  }

  apply(): ReturnType<Surface['apply']> {
    return this.surface.apply(this.context, new AbortController().signal);
  }

  /** What the reads answer, as text: through the overlay, or from the ground alone. */
  async read(through: 'overlay' | 'ground'): Promise<readonly string[]> {
    const answers: string[] = [];
    for (const call of this.#reads) {
      const tool = this.world.pack.reads.find((each) => each.tool.name === call.tool);
      assert(tool !== undefined, `the pack has the read ${call.tool}`);
      const view = new TrackedView(through === 'overlay' ? this.#overlay : new Overlay(), (hash) =>
        this.context.blob(hash),
      );
      answers.push(await answerOf(tool.read(tool.tool.parse(call.arguments), view)));
    }
    return answers;
  }
}

/** A refusal is an answer, too: what is gone must be gone for both. */
async function answerOf(result: Promise<ToolResult>): Promise<string> {
  try {
    return textOf(canonicalBytes(await result)) ?? '';
  } catch (error) {
    if (CountersignError.is(error)) return `${error.code}: ${error.message}`;
    throw error;
  }
}

function contentFor(surface: Surface, call: SurfaceCall, described: Described): ActionContent {
  const { awaitDecision, effect, effectClass, lane, preconditions, reversible, writes } = described;
  return {
    v: 1,
    workspace: workspaceId(new Uint8Array(16)),
    kind: surface.kind,
    tool: surface.tool.name,
    toolDigest: digestFrom(new Uint8Array(32)),
    arguments: call.arguments,
    effect,
    preconditions,
    writes,
    effectClass,
    reversible,
    awaitDecision: awaitDecision || surface.simulate === undefined,
    lane,
  };
}

function missing(): never {
  throw new Error('In a world of one call there are no older bytes.');
}

function expect(condition: boolean, promise: string): void {
  if (!condition) throw new Error(`The surface breaks its contract: ${promise}.`);
}

function expectSame(actual: unknown, wanted: unknown, promise: string): void {
  const same = equalBytes(canonicalBytes(actual), canonicalBytes(wanted));
  if (!same)
    throw new Error(
      `The surface breaks its contract: ${promise}.\nwanted ${JSON.stringify(wanted)}\ngot    ${JSON.stringify(actual)}`,
    );
}
