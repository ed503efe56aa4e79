import { existsSync, readFileSync } from 'node:fs';

/**
 * Counts what a run of vitest left in its JSON report. A file that could not be loaded, an error outside any test, or a
 * missing report is a failure: none of them may look like silence.
 *
 * @param {{ readonly path: string, readonly ended: boolean }} run `ended` is whether vitest itself was content
 * @returns {{ readonly passed: number, readonly failed: number, readonly skipped: number }}
 */
export function readReport({ path, ended }) {
  if (!existsSync(path)) return { passed: 0, failed: 1, skipped: 0 };
  const report = JSON.parse(readFileSync(path, 'utf8'));
  const unloaded = report.testResults.filter(
    (/** @type {{ status: string, assertionResults: readonly unknown[] }} */ file) =>
      file.status === 'failed' && file.assertionResults.length === 0,
  ).length;
  const failed = report.numFailedTests + unloaded;
  return {
    passed: report.numPassedTests,
    failed: failed === 0 && !ended ? 1 : failed,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}
