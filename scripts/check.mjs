// npm run check: everything that can be told without running the product. Stops at the first failure.
import './lib/node-version.mjs';
import { setUp } from './lib/set-up.mjs';

if (!setUp()) process.exit(1);
const { RULES_STEP, TOOL_STEPS, runSteps } = await import('./lib/check-steps.mjs');
process.exitCode = runSteps([...TOOL_STEPS, RULES_STEP]).failed === 0 ? 0 : 1;
