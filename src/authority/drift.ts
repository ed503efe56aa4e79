import { canonicalText, type Json } from '../base/canonical-json.ts';
import type { Action, OverlayWrite } from '../model/action.ts';
import { printReference, referencesIn } from '../model/reference.ts';
import type { ToolResult } from '../model/tool-result.ts';
import type { Core } from './core.ts';
import type { Outcome } from './ports.ts';
import { outputOf, withValues } from './resolve.ts';
import { resultOf } from './results.ts';

type Happened = Extract<Outcome, { type: 'applied' }>;

/** Resources named in one sentence; the rest is counted. */
const NAMED_MAX = 3;

/**
 * Where what happened is not what was simulated, in words; `null` where it is, or where nothing was simulated (SM-5).
 * References count as what they stand for: that they have another name now is no news.
 */
export function driftOf(core: Core, action: Action, happened: Happened): string | null {
  if (action.content.awaitDecision) return happened.drift;
  const values = valuesOf(core, action, happened);
  const { actual, result } = happened;
  const said = [
    happened.drift,
    result !== undefined && action.result !== null && !same(withValues(json(resultOf(core, action)), values), result)
      ? 'It answered something else than was simulated.'
      : null,
    actual === undefined ? null : elsewhere(action.overlay, actual, values),
  ].filter((sentence) => sentence !== null);
  return said.length === 0 ? null : said.join(' ');
}

/** Told once, for what the agent concluded from the simulation may be wrong. */
export function tellDrift(core: Core, action: Action, why: string | null): void {
  if (why === null || action.content.awaitDecision) return;
  const { id, seq, content } = action;
  core.notify(core.sessionOf(action), { type: 'drifted', id, seq, tool: content.tool, why });
}

/** What the references in the simulation came to be: what others made, and what this action made itself. */
function valuesOf(core: Core, action: Action, { evidence, result }: Happened): ReadonlyMap<string, string> {
  const values = new Map((action.resolved?.values ?? []).map(({ reference, value }) => [reference, value]));
  if (!core.mintsReferences) return values;
  const simulated = [json(resultOf(core, action)), json(action.overlay)];
  const answered = { applied: { evidence }, result: result ?? { content: [] } };
  for (const reference of referencesIn(simulated)) {
    if (reference.maker !== action.id) continue;
    const value = outputOf(core.surfaceOf(action), reference.output, action.seq, answered);
    if (value.ok) values.set(printReference(reference), value.value);
  }
  return values;
}

function elsewhere(
  predicted: readonly OverlayWrite[],
  actual: readonly OverlayWrite[],
  values: ReadonlyMap<string, string>,
): string | null {
  const expected = new Map(predicted.map((write) => [withValues(write.resource, values), write.value]));
  const other = actual.filter(
    ({ resource, value }) =>
      !expected.has(resource) || !same(withValues(json(expected.get(resource) ?? null), values), value),
  );
  if (other.length === 0) return null;
  const more = other.length > NAMED_MAX ? ` and ${other.length - NAMED_MAX} more` : '';
  const names = other.slice(0, NAMED_MAX).map(({ resource }) => resource);
  return `It left something else than was simulated: ${names.join(', ')}${more}.`;
}

function same(a: unknown, b: unknown): boolean {
  return canonicalText(a) === canonicalText(b);
}

/** Values that are JSON although their types do not say so. */
function json(value: ToolResult | readonly OverlayWrite[] | OverlayWrite['value']): Json {
  // reason: results and overlay values are encoded as canonical JSON wherever they are kept
  return value as unknown as Json;
}
