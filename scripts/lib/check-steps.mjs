import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildIfStale } from './build.mjs';
import { capture, npm, tool } from './run.mjs';

/**
 * @typedef {{ readonly ok: boolean, readonly output: string }} StepResult
 * @typedef {{ readonly name: string, readonly run: () => StepResult }} Step
 */

/** What the compiler and the tools can tell, quickest first. @type {readonly Step[]} */
export const TOOL_STEPS = [
  { name: 'types', run: () => capture(tool('tsc'), ['--noEmit', '-p', '.']) },
  { name: 'lint', run: () => capture(tool('oxlint'), ['--type-aware', '--deny-warnings']) },
  { name: 'format', run: () => capture(tool('oxfmt'), ['--check', '.']) },
  { name: 'dead code', run: () => capture(tool('knip'), ['--no-progress', '--treat-config-hints-as-errors']) },
  { name: 'package', run: checkPackage },
];

/** The repository's own rules, which are tests. @type {Step} */
export const RULES_STEP = { name: 'rules', run: () => capture(tool('vitest'), ['run', 'test/checks']) };

/**
 * Runs steps in order and tells each with its time; stops at the first that fails.
 *
 * @param {readonly Step[]} steps
 * @returns {{ readonly passed: number, readonly failed: number }}
 */
export function runSteps(steps) {
  let passed = 0;
  for (const step of steps) {
    const beganMs = performance.now();
    const result = step.run();
    const seconds = ((performance.now() - beganMs) / 1000).toFixed(1);
    console.log(`${result.ok ? 'ok  ' : 'FAIL'}  ${step.name.padEnd(10)} ${seconds.padStart(5)} s`);
    if (!result.ok) {
      console.log(`${result.output.trimEnd()}\nThe check "${step.name}" failed.`);
      return { passed, failed: 1 };
    }
    passed += 1;
  }
  return { passed, failed: 0 };
}

/**
 * Looks at what would be published, not at the working tree: entry points that resolve, types that load.
 *
 * @returns {StepResult}
 */
function checkPackage() {
  if (!buildIfStale()) return { ok: false, output: 'There is nothing to pack: the build failed.' };
  const folder = mkdtempSync(join(tmpdir(), 'countersign-pack-'));
  try {
    const { program, leading } = npm();
    const packed = capture(program, [...leading, 'pack', '--ignore-scripts', '--pack-destination', folder]);
    if (!packed.ok) return packed;
    const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'));
    if (tarball === undefined) return { ok: false, output: `npm pack left no tarball.\n${packed.output}` };
    const path = join(folder, tarball);
    const linted = capture(tool('publint'), ['run', path, '--strict']);
    return linted.ok ? capture(tool('attw'), [path, '--profile', 'esm-only', '--no-definitely-typed']) : linted;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
