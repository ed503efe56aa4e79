import { verifyLog } from '../../../src/cli/commands/verify-audit.ts';
import { CountersignError } from '../../../src/base/errors.ts';
import type { SeenEnd } from '../../support/fuzz-history.ts';
import { LAB_HOME_KEY, LAB_PLACE } from '../../support/publish-lab.ts';
import type { Verdict } from './judge-journal.ts';

/** What `audit verify` says of the journal in a folder, to a device that has seen this end of it. */
export async function judgeLog(dir: string, seen: SeenEnd): Promise<Verdict & { readonly result?: string }> {
  const place = { ...LAB_PLACE, dir, homeKey: LAB_HOME_KEY, witnessed: [seen] };
  try {
    const { result, why } = await verifyLog({ ...place, onProgress: () => undefined });
    if (result === 'ok') return { type: 'equal', result };
    return why === null
      ? { type: 'wrong', why: `it is ${result}, and nothing says why` }
      : { type: 'named', why, result };
  } catch (thrown) {
    // A log that cannot be read is refused with a sentence; anything else is a crash, and ends the run.
    if (!CountersignError.is(thrown)) throw thrown;
    return { type: 'named', why: thrown.message, result: thrown.code };
  }
}
