import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cli, up } from '../support/cli.ts';
import { tempDir } from '../support/temp-dir.ts';

/** Each is a whole process; twenty homes of one process race in `cli-home.test.ts`. */
const HOMES = 6;

test('[F5] [DR-7] of processes that start at once one guards the workspace, and stopped it still does', async () => {
  const dir = await tempDir();
  const workspace = join(dir, 'project');
  await mkdir(workspace);
  const state = (n: number): string => join(dir, `state-${n}`);
  const started = await Promise.allSettled(
    Array.from({ length: HOMES }, (_, n) => up(workspace, state(n), '--port', '0')),
  );
  const winners = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const refusals = started.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []));
  expect(winners).toHaveLength(1);
  expect(refusals).toHaveLength(HOMES - 1);
  const [winner] = winners;
  const holder = new RegExp(`up ended with 1: .*project is guarded by home .* \\(process ${winner?.child.pid}, state `);
  // On a machine that is busy the holder may answer too late to be named.
  const unnamed = /up ended with 1: .*project is guarded by another home that does not answer/;
  for (const why of refusals) expect(why).toMatch(new RegExp(`${holder.source}|${unnamed.source}`));

  const again = () => cli('up', '--workspace', workspace, '--state', state(HOMES), '--port', '0');
  winner?.child.kill('SIGSTOP');
  expect(await again()).toMatchObject({ code: 1, err: expect.stringMatching(/another home that does not answer/) });
  winner?.child.kill('SIGCONT');
  expect(await again()).toMatchObject({ code: 1, err: expect.stringMatching(/project is guarded by /) });
  winner?.child.kill('SIGKILL');
  await winner?.ended;
  const next = await up(workspace, state(HOMES), '--port', '0');
  next.child.kill('SIGTERM');
  expect((await next.ended).code).toBe(0);
});
