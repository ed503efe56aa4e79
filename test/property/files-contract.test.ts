import fs from 'node:fs';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Precondition } from '../../src/model/content.ts';
import { filesLab, type FilesLab } from '../support/files-lab.ts';
import { observe, plant, propose, sessions, trees } from '../support/files-ops.ts';

const RUNS = { numRuns: 40 };

/**
 * Goal: what the agent saw while its changes waited is what the disk shows once they are applied, at every step of
 * the drain, and reverting them brings back the disk as it was.
 * Method: a generated tree on a real disk, a generated session; compare all read tools over the overlay before, after
 * every apply, and over the bare ground at the end; revert in reverse order and compare the disk byte by byte.
 */
test('[SM-3] simulate-then-read equals apply-then-read, and revert(apply(x)) restores the pre-state', async () => {
  await fc.assert(
    fc.asyncProperty(trees, sessions, fc.boolean(), async (tree, session, viaDescriptors) => {
      const lab = await filesLab({}, { viaDescriptors });
      plant(lab, tree);
      const before = lab.disk();
      const actions = await propose(lab, session);
      expect(lab.disk()).toEqual(before);
      const seen = await observe(lab);
      const evidence = [];
      for (const action of actions) {
        const outcome = await lab.apply(action);
        expect(outcome).toMatchObject({ type: 'applied', drift: null });
        if (outcome.type === 'applied') evidence.push(outcome.evidence);
        expect(await observe(lab)).toEqual(seen);
      }
      expect(await observe(lab, 'ground')).toEqual(seen);
      for (const [index, action] of [...actions.entries()].toReversed()) {
        expect(await lab.canRevert(action, evidence[index])).toMatchObject({ feasible: true });
        expect(await lab.revert(action, evidence[index])).toEqual({ type: 'reverted' });
      }
      expect(lab.disk()).toEqual(before);
    }),
    RUNS,
  );
});

test('[SM-2] dropping an action with all that needs it leaves what the others alone would have made', async () => {
  await fc.assert(
    fc.asyncProperty(trees, sessions, fc.nat(), async (tree, session, pick) => {
      const lab = await filesLab();
      plant(lab, tree);
      const actions = await propose(lab, session);
      fc.pre(actions.length > 0);
      const rejected = new Set([actions[pick % actions.length]?.id]);
      for (const action of actions) if ([...action.needs].some((need) => rejected.has(need))) rejected.add(action.id);
      for (const id of rejected) if (id !== undefined) lab.overlay.remove(id);
      const seen = await observe(lab);
      for (const action of actions) {
        if (!rejected.has(action.id)) expect(await lab.apply(action)).toMatchObject({ type: 'applied' });
      }
      expect(await observe(lab, 'ground')).toEqual(seen);
    }),
    RUNS,
  );
});

test('[SM-3] [T8] a stale apply is reported, never swallowed: whatever was touched, the apply fails and changes nothing', async () => {
  await fc.assert(
    fc.asyncProperty(
      trees,
      sessions,
      fc.nat(),
      fc.constantFrom('change', 'chmod', 'delete'),
      async (tree, session, pick, how) => {
        const lab = await filesLab();
        plant(lab, tree);
        const [action] = await propose(lab, session);
        fc.pre(action !== undefined);
        const targets = action.content.preconditions.filter(({ expect: wanted }) => wanted !== 'dir');
        const target = targets[pick % targets.length];
        fc.pre(target !== undefined);
        meddle(lab, target, how);
        const before = lab.disk();
        expect(await action.surface.look?.(lab.context(action))).toMatchObject({ type: 'moved' });
        expect(await lab.applyBlindly(action)).toMatchObject({ type: 'failed' });
        expect(lab.disk()).toEqual(before);
      },
    ),
    RUNS,
  );
});

/** Somebody else touches what an action depends on. */
function meddle(lab: FilesLab, target: Precondition, how: 'change' | 'chmod' | 'delete'): void {
  const path = target.resource.slice('file:'.length);
  if (target.expect === 'absent') lab.put(path, 'someone was here');
  else if (how === 'chmod') fs.chmodSync(lab.at(path), 0o640);
  else if (target.expect.startsWith('dir')) lab.put(`${path}/new`, 'someone was here');
  else if (how === 'delete') fs.rmSync(lab.at(path));
  else lab.put(path, `${lab.bytes(path)}x`);
}
