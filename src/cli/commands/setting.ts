import { assert } from '../../base/assert.ts';
import type { JsonObject } from '../../base/canonical-json.ts';
import { display } from '../../model/display.ts';
import type { BodyKind } from '../../model/decision.ts';
import type { Invocation } from './command.ts';
import { rightHelp } from './right-help.ts';
import { send, unanswered } from './send.ts';
import type { Source } from './source.ts';

/** What a person sets for the workspace, and how the command line speaks of it. */
export interface Setting {
  readonly kind: BodyKind;
  readonly body?: JsonObject;
  /** What it is about, for scripts: a rule's id, a session, `workspace`. */
  readonly id: string;
  /** Said when it was taken. */
  readonly done: string;
}

/** Signs, saves and sends it, and says what became of it: like every decision of this device (DC-6). */
export async function settle({ args, io }: Invocation, source: Source, setting: Setting): Promise<number> {
  const { id, result, why } = await carryOut(source, setting);
  const help = result === 'refused' ? rightHelp(why, source) : undefined;
  if (args.flag('json')) io.out(JSON.stringify({ id, result, why }));
  else if (result === 'received') io.out(setting.done);
  else if (result === 'saved') io.out(`Saved on this device (${why ?? ''}).`);
  else io.note([display(why ?? 'It was refused.').text, ...(help === undefined ? [] : [help])].join(' '));
  return result === 'refused' ? 1 : 0;
}

interface Outcome {
  readonly id: string;
  readonly result: 'received' | 'refused' | 'saved';
  readonly why: string | null;
}

async function carryOut(source: Source, { body, id, kind }: Setting): Promise<Outcome> {
  const { workspace } = source;
  // Loaded where something is set: to list what is set takes no device.
  const { CliDevice } = await import('../device/cli-device.ts');
  const device = await CliDevice.open(source.folder);
  try {
    const heartbeat = await source.heartbeat();
    const entries = await device.save({
      workspace,
      kind,
      items: [],
      heartbeat,
      ...(body === undefined ? {} : { body }),
    });
    const sent = await send(device, source);
    const [entry] = entries;
    assert(entry !== undefined, 'a decision without items is one decision');
    const [delivered] = device.deliveredOf(entries);
    const turnedAway = typeof sent === 'string' ? undefined : sent.get(entry.n);
    if (delivered === undefined) return { id, ...unanswered(turnedAway, sent) };
    const { refused } = delivered.receipt;
    return { id, result: refused === null ? 'received' : 'refused', why: refused };
  } finally {
    device.close();
  }
}
