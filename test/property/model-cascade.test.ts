import { expect, test } from 'vitest';
import { CASCADE_LAWS } from '../fuzz/laws/cascade.ts';

test('[CA-1] [SM-7] what falls, what is asked again and who restarts is what the rules say', () => {
  expect(() => CASCADE_LAWS.isWhatTheRulesSay.check({ numRuns: 500 })).not.toThrow();
});
