import { CountersignError } from '../../base/errors.ts';
import { parseSessionId, type SessionId } from '../../model/ids.ts';
import { UsageError } from '../args/usage-error.ts';
import type { Run } from './command.ts';
import { openSource } from './open-source.ts';
import { settle, type Setting } from './setting.ts';
import type { Source } from './source.ts';

/** `pause` and `resume`, of the workspace or of one session; `mode` of the workspace. */
export const run: Run = async (invocation) => {
  const source = await openSource(invocation);
  try {
    const setting = invocation.command === 'mode' ? modeOf(invocation.args.positionals) : pauseOf(invocation, source);
    return await settle(invocation, source, setting);
  } finally {
    await source.close();
  }
};

function pauseOf({ args, command }: Parameters<Run>[0], source: Source): Setting {
  const kind = command === 'pause' ? 'pause' : 'resume';
  const given = args.text('session');
  const session = given === undefined ? null : sessionOf(given, source);
  const what = session === null ? 'The workspace' : 'The session';
  return {
    kind,
    id: session ?? 'workspace',
    ...(session === null ? {} : { body: { session } }),
    done:
      kind === 'pause' ? `${what} is paused: nothing begins, and what agents propose is queued.` : `${what} goes on.`,
  };
}

/** By its id, or the beginning of one that is unmistakable. */
function sessionOf(given: string, { sessions }: Source): SessionId {
  const whole = parseSessionId(given);
  if (whole.ok) return whole.value;
  const found = sessions.filter(({ id }) => given.length >= 6 && id.startsWith(given));
  const [only] = found;
  if (only === undefined || found.length > 1)
    throw new CountersignError(
      'not-found',
      `${JSON.stringify(given.slice(0, 60))} names no session; see: countersign status --json`,
    );
  return only.id;
}

function modeOf([typed]: readonly string[]): Setting {
  if (typed !== 'plan' && typed !== 'act') throw new UsageError('mode takes one of plan, act');
  return {
    kind: 'mode',
    id: 'workspace',
    body: { mode: typed },
    done:
      typed === 'plan'
        ? 'Plan mode is on: nothing is queued, and what is queued stays as it is.'
        : 'Act mode is on: agents propose, and what is approved begins.',
  };
}
