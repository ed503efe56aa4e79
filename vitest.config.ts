import { defineConfig } from 'vitest/config';
import { builtThread } from './test/support/built-thread.ts';
import { SlowFirst } from './test/support/slow-first.ts';

export default defineConfig({
  plugins: [builtThread()],
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    // More than there may be processors: tests wait for processes, sockets and disks.
    maxWorkers: 3,
    // No module is mocked and modules keep no state, so files share them: a process and all modules anew for each file
    // took as long as the tests of most files.
    isolate: false,
    sequence: { sequencer: SlowFirst },
    // Guards, not measures: a machine that has other things to do is not a failure.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
