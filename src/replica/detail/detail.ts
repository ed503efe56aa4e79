import { CountersignError } from '../../base/errors.ts';
import { interpretCard } from '../../model/card.ts';
import type { ActionId } from '../../model/ids.ts';
import type { Detail } from '../types.ts';
import type { Workspace } from '../workspace/workspace.ts';

/**
 * The card of an action: made on this device from the content whose digest it would sign (T1). Throws: `not-found` for
 * an action that is not in the ledger; what the relay's HTTP throws while it cannot be reached.
 */
export async function detailOf(workspace: Workspace, id: ActionId): Promise<Detail> {
  const record = workspace.record(id);
  if (record === undefined || !workspace.isSigned(id))
    throw new CountersignError('not-found', 'This action is not in the queue any more.');
  workspace.cards.lookedAt(id);
  try {
    const { file } = await workspace.cards.file(record);
    return {
      type: 'card',
      card: interpretCard(file.card, file.content),
      content: file.content,
      reversibleWhy: file.reversibleWhy,
      blob: (hash) => workspace.cards.blob(hash),
    };
  } catch (thrown) {
    if (!CountersignError.is(thrown) || (thrown.code !== 'not-found' && thrown.code !== 'storage')) throw thrown;
    return { type: 'lost', why: thrown.message };
  }
}
