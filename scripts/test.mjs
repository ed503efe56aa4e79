// npm test: set-up when needed, build, checks, every test. Arguments name tests (`npm test -- test/unit`); then
// the checks are left out. The last line is always `N passed, N failed`.
import './lib/node-version.mjs';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildIfStale } from './lib/build.mjs';
import { TOOL_STEPS, runSteps } from './lib/check-steps.mjs';
import { run, tool } from './lib/run.mjs';
import { setUp } from './lib/set-up.mjs';
import { readReport } from './lib/test-report.mjs';

const named = process.argv.slice(2);
// The tests start the built command as a person would, so nothing can be said when it cannot be built.
const ready = setUp() && buildIfStale();
const checks = !ready ? { passed: 0, failed: 1 } : named.length > 0 ? { passed: 0, failed: 0 } : runSteps(TOOL_STEPS);
const tests = ready ? runTests(named) : { passed: 0, failed: 0, skipped: 0 };
const failed = checks.failed + tests.failed;
if (tests.skipped > 0) console.log(`${tests.skipped} skipped`);
console.log(`${checks.passed + tests.passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

/** @param {readonly string[]} files */
function runTests(files) {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-report-'));
  try {
    const report = join(folder, 'report.json');
    const args = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...files];
    return readReport({ path: report, ended: run(tool('vitest'), args) });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
