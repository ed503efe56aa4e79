import { VERSION } from '../../base/version.ts';
import type { Run } from './command.ts';

export const run: Run = ({ args, io }) => {
  io.out(args.flag('json') ? JSON.stringify({ version: VERSION }) : `countersign ${VERSION}`);
  return Promise.resolve(0);
};
