import { err, ok, type Result } from '../base/result.ts';
import type { Resource } from './content.ts';

export interface Caps {
  readonly targetsMax: number;
  readonly stepsPerTargetMax: number;
  readonly bytesMax: number;
  readonly warnPercent: number;
}

/** How much of one root session, its children included, may wait for a person (CP-1). */
export const CAPS: Caps = {
  /** Targets with live actions. A person cannot look over more, and nobody reads a longer list. */
  targetsMax: 500,
  /** Live actions on one target that count once: editing one file again and again is one thing to look at. */
  stepsPerTargetMax: 50,
  /** Bytes of what live actions would write: what the overlay keeps and devices prefetch. */
  bytesMax: 256 * 1024 * 1024,
  /** Per cent of either cap at which agent and person are told. */
  warnPercent: 80,
};

/** What waits in one root session: live actions by target, and their bytes. */
export interface Load {
  readonly steps: ReadonlyMap<Resource, number>;
  readonly bytes: number;
}

/** What one proposal would add. */
export interface Added {
  readonly targets: readonly Resource[];
  readonly bytes: number;
}

/** Is there room? If not, the sentence the agent gets; nothing is queued then. */
export function roomFor(load: Load, added: Added, caps: Caps = CAPS): Result<void> {
  const used = targetsUsed(load, caps);
  const more = targetsMore(load, added, caps);
  // What is free must stay free at the cap: only a proposal that takes more can be one too many.
  if (more > 0 && used + more > caps.targetsMax)
    return err(full(`${used} of ${caps.targetsMax} targets wait for a decision`));
  if (load.bytes + added.bytes > caps.bytesMax && added.bytes > 0)
    return err(full(`${mebibytes(load.bytes)} of ${mebibytes(caps.bytesMax)} MiB wait for a decision`));
  return ok(undefined);
}

/** What the proposal takes beyond what is used: nothing for a step within a started block. */
function targetsMore(load: Load, added: Added, { stepsPerTargetMax }: Caps): number {
  let more = 0;
  for (const target of new Set(added.targets)) if ((load.steps.get(target) ?? 0) % stepsPerTargetMax === 0) more += 1;
  return more;
}

/** The sentence that is due when this proposal takes the load past 80 %; `null` before that and after it. */
export function roomWarning(load: Load, added: Added, caps: Caps = CAPS): string | null {
  const after = plus(load, added);
  if (share(load, caps) >= caps.warnPercent || share(after, caps) < caps.warnPercent) return null;
  return nearlyFull(after, caps);
}

/** The same sentence for as long as it is so; `null` below 80 %. */
export function nearlyFull(load: Load, caps: Caps = CAPS): string | null {
  if (share(load, caps) < caps.warnPercent) return null;
  return (
    `The queue is ${Math.floor(share(load, caps))} % full: ${targetsUsed(load, caps)} of ${caps.targetsMax} targets, ` +
    `${mebibytes(load.bytes)} of ${mebibytes(caps.bytesMax)} MiB. When it is full nothing more is queued until a person decides.`
  );
}

/** Targets in use: each started block of steps on one target counts as one. */
export function targetsUsed(load: Load, caps: Caps = CAPS): number {
  let used = 0;
  for (const steps of load.steps.values()) used += Math.ceil(steps / caps.stepsPerTargetMax);
  return used;
}

export function plus(load: Load, added: Added): Load {
  const steps = new Map(load.steps);
  for (const target of new Set(added.targets)) steps.set(target, (steps.get(target) ?? 0) + 1);
  return { steps, bytes: load.bytes + added.bytes };
}

function share(load: Load, caps: Caps): number {
  return 100 * Math.max(targetsUsed(load, caps) / caps.targetsMax, load.bytes / caps.bytesMax);
}

function full(what: string): string {
  return (
    `The queue is full: ${what}. Nothing was queued. ` +
    'Call wait_for_decision with { "forRoom": true } to wait for room, or withdraw what is no longer wanted.'
  );
}

function mebibytes(bytes: number): string {
  return (bytes / (1024 * 1024)).toFixed(1).replace('.0', '');
}
