import type { Run } from './command.ts';
import { askRunningHome } from './ask-home.ts';
import { stateDir } from './home-at.ts';
import { openLinkInBrowser } from './open-browser.ts';

/** Prints a new link to the panel: it makes the first browser that opens it a device. */
export const run: Run = async (invocation) => {
  const { args, io } = invocation;
  const link = await askRunningHome(stateDir(invocation), (port) => port.panelLink({ by: 'panel' }));
  if (args.flag('json')) io.out(JSON.stringify(link));
  else {
    io.out(link.url);
    io.note(`It opens once, on this machine, for a device that may ${WORDS[link.right]}.`);
  }
  if (!args.flag('open')) return 0;
  if (await openLinkInBrowser(stateDir(invocation), link.url)) return 0;
  io.note('No browser could be started here; open the link by hand.');
  return 1;
};

const WORDS = {
  view: 'look',
  'reject-only': 'look and reject',
  'approve-reversible': 'approve what can be undone',
  'approve-all': 'approve everything',
} as const;
