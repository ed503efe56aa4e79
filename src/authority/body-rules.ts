import type { Result } from '../base/result.ts';
import type { Decision } from '../model/decision.ts';
import type { Core } from './core.ts';
import type { Follow } from './enact.ts';

/** What one kind of decision over a body checks, and what it does. The device's right was checked before. */
export interface BodyRules {
  /** Looks only. An error is the sentence the device gets: nothing changes then. */
  judge(core: Core, decision: Decision): Result<void>;
  /** Stages all that follows, for the commit that makes the decision durable. */
  enact(core: Core, decision: Decision): readonly Follow[];
}
