import { createHash } from 'node:crypto';
import { toBase32, utf8 } from '../../base/bytes.ts';
import { canonicalBytes } from '../../base/canonical-json.ts';
import type { Intent } from '../../model/action.ts';
import type { ActionContent } from '../../model/content.ts';

const PATTERN = /^\.countersign-[a-z2-7]{16}\.tmp$/u;

/**
 * The name of the one temporary file or folder that an attempt makes beside its target. After a crash the same name
 * is computed again, so nothing has to be remembered to find what was left behind.
 */
export function applyTemp(intent: Intent): string {
  return named(utf8(`apply\n${intent.idempotencyKey}\n${intent.attempt}`));
}

/** The same for reverts of an action. One for all attempts: the next one finishes what an interrupted one left. */
export function revertTemp(content: ActionContent): string {
  return named(canonicalBytes(['revert', content]));
}

/** True for a name that only an attempt of ours makes. Such files are never listed, read or written for an agent. */
export function isOwnTempName(name: string): boolean {
  return PATTERN.test(name);
}

function named(seed: Uint8Array): string {
  return `.countersign-${toBase32(createHash('sha256').update(seed).digest()).slice(0, 16)}.tmp`;
}
