import type { ActionRef, NoticeFacts } from '../../../src/model/notice-facts.ts';
import { aid } from './make-action.ts';

export function refs(...seqs: readonly number[]): readonly ActionRef[] {
  return seqs.map((seq) => ({ id: aid(seq), seq }));
}

/** A person's rejection on a laptop. */
export const REJECTED: Extract<NoticeFacts, { type: 'rejected' }> = {
  type: 'rejected',
  id: aid(12),
  seq: 12,
  tool: 'write_file',
  target: 'src/app.ts',
  because: 'person',
  by: 'laptop',
  reason: 'Not this file.',
  fell: [],
  restart: [],
};
