import { isWhole } from '../bulk-lists.ts';
import type { Gate } from '../gates.ts';

/** DR-11: nothing of a list begins before all of it was looked over. */
export const bulkGate: Gate = (core, { by }) => {
  const list = by.type === 'decision' ? core.bulk.holding(by.device, by.n) : undefined;
  if (list === undefined) return undefined;
  const came = `${list.parts.length} of the ${list.of} parts of the list it was approved with have arrived.`;
  return {
    code: 'bulk',
    why: isWhole(list) ? 'The list it was approved with is being looked over.' : `Only ${came}`,
    untilMs: null,
  };
};
