import type { Flags } from '../args/parse.ts';
import type { CommandSpec } from './command.ts';
import { RELAY_FLAGS } from './relay-flags.ts';

const MANY = Number.POSITIVE_INFINITY;
const decide = () => import('./decide.ts');
const ids = (name: string, summary: string, flags: Flags = {}, usage = 'ID…'): CommandSpec => {
  return { name, summary, usage, flags, operands: { min: 1, max: MANY }, load: decide };
};

/** Every command, in the order help lists them. Their code is loaded when one is run. */
export const COMMANDS: readonly CommandSpec[] = [
  {
    name: 'up',
    usage: '[--adopt] [--exclusive] [--port N] [--relay URL|embedded] [--cli-right R] [--detach]',
    summary: 'guard a folder: start a home, or join the one that runs',
    flags: {
      adopt: 'flag',
      exclusive: 'flag',
      port: 'text',
      relay: 'text',
      'insecure-relay': 'flag',
      'cli-right': 'text',
      detach: 'flag',
      'idle-exit': 'text',
    },
    operands: { min: 0, max: 0 },
    load: () => import('./up.ts'),
  },
  {
    name: 'down',
    usage: '',
    summary: 'end the home; what is in flight is finished first',
    flags: {},
    operands: { min: 0, max: 0 },
    load: () => import('./down.ts'),
  },
  {
    name: 'status',
    usage: '',
    summary: 'say what runs, and for whom',
    flags: {},
    operands: { min: 0, max: 0 },
    load: () => import('./status.ts'),
  },
  {
    name: 'where',
    usage: '',
    summary: 'say where the state folder and this workspace are',
    flags: {},
    operands: { min: 0, max: 0 },
    load: () => import('./where.ts'),
  },
  {
    name: 'panel',
    usage: '[--open]',
    summary: 'print a link that makes a browser of this machine a device, once',
    flags: { open: 'flag' },
    operands: { min: 0, max: 0 },
    load: () => import('./panel.ts'),
  },
  {
    name: 'devices',
    usage: 'ls | revoke ID | rights ID RIGHT',
    summary: 'list the devices that may decide, take one out, or change what it may do',
    flags: {},
    operands: { min: 1, max: 3 },
    load: () => import('./devices.ts'),
  },
  {
    name: 'queue',
    usage: '[--all]',
    summary: 'list what waits; --all with what is settled',
    flags: { all: 'flag' },
    operands: { min: 0, max: 0 },
    load: () => import('./queue.ts'),
  },
  {
    name: 'show',
    usage: 'ID [--full]',
    summary: 'show one action as it would be applied, with its diff',
    flags: { full: 'flag' },
    operands: { min: 1, max: 1 },
    load: () => import('./show.ts'),
  },
  {
    name: 'approve',
    usage: 'ID… | --all | --through ID [--except ID…] [--wait applied]',
    summary: 'let actions be applied, in order',
    flags: { all: 'flag', through: 'text', except: 'list', wait: 'text' },
    operands: { min: 0, max: MANY },
    load: decide,
  },
  ids(
    'reject',
    'stop actions, and with them what needs them',
    { reason: 'text', yes: 'flag' },
    'ID… [--reason T] [--yes]',
  ),
  {
    name: 'change',
    usage: 'ID --say T [--yes]',
    summary: 'stop an action and say what to do instead',
    flags: { say: 'text', yes: 'flag' },
    operands: { min: 1, max: 1 },
    load: decide,
  },
  {
    name: 'hold',
    usage: 'ID… | --moved',
    summary: 'set actions aside, with what needs them',
    flags: { moved: 'flag' },
    operands: { min: 0, max: MANY },
    load: decide,
  },
  ids('release', 'put held actions back at the end of their lane'),
  ids('undo', 'take back an approval or a hold that has not begun'),
  ids(
    'revert',
    'put back what an applied action changed, and what stands on it',
    { plan: 'text', yes: 'flag', wait: 'text' },
    'ID… [--plan HASH | --yes] [--wait applied]',
  ),
  ids(
    'retry',
    'try a failed action again',
    { 'may-happen-twice': 'flag', wait: 'text' },
    'ID… [--may-happen-twice] [--wait applied]',
  ),
  {
    name: 'settle',
    usage: 'ID happened|did-not',
    summary: 'say what became of an action that is in doubt',
    flags: {},
    operands: { min: 2, max: 2 },
    load: decide,
  },
  {
    name: 'resolve',
    usage: 'ID mine|theirs|ask [--yes] | --moved merge',
    summary: 'end a conflict: keep your file, take the agent’s, or ask the agent; --moved after a switch of branches',
    flags: { moved: 'flag', yes: 'flag' },
    operands: { min: 1, max: 2 },
    load: decide,
  },
  {
    name: 'quarantine',
    usage: 'show | leave',
    summary: 'say why a journal is not trusted and what is in doubt, or go on from what it holds',
    flags: {},
    operands: { min: 1, max: 1 },
    load: () => import('./quarantine.ts'),
  },
  {
    name: 'audit',
    usage: 'verify',
    summary: 'check the whole log: 0 ok, 10 tampered, 11 incomplete, 12 fork',
    flags: {},
    operands: { min: 1, max: 1 },
    load: () => import('./audit.ts'),
  },
  {
    name: 'mcp',
    usage: '[--session NAME]',
    summary: 'serve an agent over stdio; starts a home if none runs',
    flags: { session: 'text' },
    operands: { min: 0, max: 0 },
    load: () => import('./mcp.ts'),
  },
  {
    name: 'setup',
    usage: 'AGENT',
    summary: 'print the configuration for claude-code, codex, cursor or another agent',
    flags: {},
    operands: { min: 1, max: 1 },
    load: () => import('./setup.ts'),
  },
  {
    name: 'relay',
    usage:
      '[--port N] [--host H] [--data DIR] [--home ID…] [--admit FILE] [--open] [--origin PAGE…] [--public-origin URL…]',
    summary: 'run the sync server alone; a panel elsewhere needs --origin http://localhost:PORT of its home',
    flags: RELAY_FLAGS,
    operands: { min: 0, max: 0 },
    load: () => import('./relay.ts'),
  },
  {
    name: 'demo',
    usage: '',
    summary: 'guard a demo workspace while a scripted agent works in it',
    flags: { port: 'text' },
    operands: { min: 0, max: 0 },
    load: () => import('./demo.ts'),
  },
  {
    name: 'help',
    usage: '[COMMAND]',
    summary: 'say how a command is used',
    flags: {},
    operands: { min: 0, max: 1 },
    load: () => import('./help.ts'),
  },
  {
    name: 'version',
    usage: '',
    summary: 'print the version',
    flags: {},
    operands: { min: 0, max: 0 },
    load: () => import('./version.ts'),
  },
];

export function findCommand(name: string): CommandSpec | undefined {
  return COMMANDS.find((command) => command.name === name);
}
