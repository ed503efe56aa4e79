import { UsageError } from '../args/usage-error.ts';
import { approve, change, MERGE, reject, RESOLVE, retry, settle, type Asked } from '../device/gestures.ts';
import type { Selection } from '../device/select.ts';
import type { Invocation } from './command.ts';

/** What a deciding command asks for. Throws `UsageError` for a word it does not know. */
export function askedFor(invocation: Invocation): Asked {
  const { args, command } = invocation;
  switch (command) {
    case 'approve':
      return approve({ whole: !args.flag('rest') && args.positionals.length !== 1 });
    case 'reject':
      return reject(args.text('reason'));
    case 'change':
      return change(needed(args.text('say'), 'change needs --say with what to do instead'));
    case 'hold':
    case 'release':
    case 'revert':
    case 'anyway':
      return { kind: command };
    case 'undo':
      return { kind: 'retract' };
    case 'retry':
      return retry({ mayHappenTwice: args.flag('may-happen-twice') });
    case 'settle':
      return settle(word(invocation, ['happened', 'did-not']));
    case 'resolve':
      if (args.flag('moved')) return MERGE[word(invocation, ['merge'], 0)];
      return RESOLVE[word(invocation, ['mine', 'theirs', 'ask'], Math.max(1, args.positionals.length - 1))];
    default:
      throw new UsageError(`${command} decides nothing`);
  }
}

/** What it points at. Throws `UsageError` when that is nothing, or two things at once. */
export function selectionOf({ args, command }: Invocation): Selection {
  const through = args.text('through');
  const except = args.list('except');
  if (args.flag('moved')) {
    if (command === 'hold' && args.positionals.length > 0) throw new UsageError('name actions, or give --moved');
    return { type: 'moved', except: [] };
  }
  // The word behind them says what is done with them.
  const named = command === 'resolve' ? args.positionals.slice(0, -1) : args.positionals;
  const refs = command === 'settle' ? named.slice(0, 1) : named;
  const ways = [refs.length > 0, args.flag('all'), through !== undefined].filter(Boolean).length;
  if (ways === 0) throw new UsageError(`${command} needs to know which actions (see: countersign help ${command})`);
  if (ways > 1) throw new UsageError('name actions, or give --all, or --through ID: one of the three');
  if (refs.length > 0 && except.length > 0) throw new UsageError('--except goes with --all or --through');
  if (through !== undefined) return { type: 'through', ref: through, except };
  return args.flag('all') ? { type: 'all', except } : { type: 'ids', refs };
}

function word<const W extends string>({ args, command }: Invocation, words: readonly W[], at = 1): W {
  const typed = args.positionals[at];
  const found = words.find((candidate) => candidate === typed);
  const of = at === 0 ? '--moved and' : 'an action and one of';
  if (found === undefined) throw new UsageError(`${command} takes ${of} ${words.join(', ')}`);
  return found;
}

function needed(text: string | undefined, why: string): string {
  if (text === undefined || text.trim() === '') throw new UsageError(why);
  return text;
}
