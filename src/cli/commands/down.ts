import { CountersignError } from '../../base/errors.ts';
import { connectOwner } from '../home/connect-owner.ts';
import { holderOf } from '../home/lock.ts';
import { systemClock } from '../home/system.ts';
import { findStateFolder } from '../state/folder.ts';
import { identify } from '../state/workspace-place.ts';
import type { Run } from './command.ts';
import { stateDir } from './home-at.ts';

/** Milliseconds an effect that is under way may take before the home ends, and between two looks. */
const END_MS_MAX = 90_000;
const LOOK_MS = 25;

/** Ends the running home and waits until it has let go of everything. */
export const run: Run = async (invocation) => {
  const { args, io } = invocation;
  const folder = await findStateFolder(stateDir(invocation));
  const port = folder === undefined ? undefined : await connectOwner(folder);
  if (folder === undefined || port === undefined) {
    if (args.flag('json')) io.out(JSON.stringify({ event: 'down', pid: null }));
    else io.out('No home runs.');
    return 0;
  }
  const { pid } = await port.down();
  await port.close();
  const lock = await identify(folder.dir);
  const untilMs = systemClock.nowMs() + END_MS_MAX;
  while ((await holderOf('home', lock)) !== undefined) {
    if (systemClock.nowMs() > untilMs)
      throw new CountersignError('busy', `The home (process ${pid}) is still finishing what it began.`);
    await new Promise<void>((resolve) => void systemClock.after(LOOK_MS, resolve));
  }
  io.out(args.flag('json') ? JSON.stringify({ event: 'down', pid }) : `The home (process ${pid}) has ended.`);
  return 0;
};
