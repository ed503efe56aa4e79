import { maySetMode, mayDecide } from '../../access/rights.ts';
import type { JsonObject } from '../../base/canonical-json.ts';
import { CountersignError } from '../../base/errors.ts';
import { err, ok, type Result } from '../../base/result.ts';
import type { RuleWish } from '../../model/rules.ts';
import type { Outgoing, Setting } from '../types.ts';
import type { Deciding } from './decide.ts';

/**
 * Signs what a person sets and saves it (DC-6).
 *
 * Throws: `denied` for what this device may not or must not; as `saveDecisions`.
 */
export async function decideSetting(deciding: Deciding, setting: Setting): Promise<readonly Outgoing[]> {
  const may = maySet(deciding, setting);
  if (!may.ok) throw new CountersignError('denied', may.error);
  const { core, outbox, workspace } = deciding;
  const body = bodyOf(setting);
  return outbox.save(workspace.id, [
    {
      v: 1,
      home: core.home,
      workspace: workspace.id,
      device: core.device,
      kind: setting.kind,
      items: [],
      holdsLifted: [],
      seen: workspace.heartbeats.seen,
      ...(body === undefined ? {} : { body }),
    },
  ]);
}

/** As far as this device can know; the runtime says the same again. */
function maySet({ core, right, workspace }: Deciding, setting: Setting): Result<void> {
  const may = setting.kind === 'mode' ? maySetMode(right, setting.mode) : mayDecide(right, setting.kind, null);
  if (!may.ok) return may;
  const distrusted = core.alarms.distrusted(workspace.id);
  if (distrusted !== null && !stops(setting)) return err(distrusted);
  return setting.kind === 'rule.add' ? ruleFits(workspace, setting.rule) : ok(undefined);
}

/** What only ever stops something is never withheld from a person who has the right. */
function stops(setting: Setting): boolean {
  if (setting.kind === 'mode') return setting.mode === 'plan';
  return setting.kind === 'pause' || setting.kind === 'rule.remove';
}

/** Nothing is signed for a kind that the home did not sign, or that is another one by now. */
function ruleFits(workspace: Deciding['workspace'], rule: RuleWish): Result<void> {
  const kind = workspace.view().kinds.find(({ toolDigest }) => toolDigest === rule.toolDigest);
  return kind?.tag === rule.kind && workspace.isSigned(kind.id)
    ? ok(undefined)
    : err('The tool behind this kind of action is another one by now; look at it again.');
}

function bodyOf(setting: Setting): JsonObject | undefined {
  switch (setting.kind) {
    case 'rule.add': {
      const { forMs, usesMax, where, ...said } = setting.rule;
      return {
        ...said,
        where: where.map((test) => ({ ...test })),
        ...(forMs === null ? {} : { forMs }),
        ...(usesMax === null ? {} : { usesMax }),
      };
    }
    case 'rule.remove':
      return { rule: setting.rule };
    case 'mode':
      return { mode: setting.mode };
    case 'pause':
    case 'resume':
      return setting.session === null ? undefined : { session: setting.session };
  }
}
