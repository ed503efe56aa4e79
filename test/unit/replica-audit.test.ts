import { describe, expect, test } from 'vitest';
import { signHeartbeat } from '../../src/trust/heartbeat.ts';
import type { Digest } from '../../src/model/ids.ts';
import type { Replica } from '../../src/replica/types.ts';
import {
  HOME_ID,
  REPLICA_HOME,
  replicaLab,
  workspaceOf,
  WORKSPACE_ID,
  type ReplicaLab,
} from '../support/replica-lab.ts';
import { put } from '../support/workshop.ts';

const workspace = WORKSPACE_ID;

/** A log of one full tile and an open one. */
async function longLog(): Promise<{ readonly lab: ReplicaLab; readonly replica: Replica }> {
  const lab = await replicaLab();
  const port = await lab.agent();
  for (let n = 0; n < 260; n++) await put(port, `n${n}`, 'text');
  const replica = await lab.devices['phone']!.window();
  await lab.settle();
  const ids = workspaceOf(replica).open.map(({ record }) => record.id);
  await replica.decide({ workspace, kind: 'approve', ids });
  await lab.settle(120);
  lab.clock.advance(15_000);
  await lab.settle();
  return { lab, replica };
}

/** Asks, and lets what is fetched for the answer come. */
async function during<T>(lab: ReplicaLab, asked: Promise<T>): Promise<T> {
  const over = new AbortController();
  const answer = asked.finally(() => over.abort());
  while (!over.signal.aborted) await lab.settle(2);
  return answer;
}

describe('the audit log on a device', () => {
  test('is read newest first, with names, and verified: manifest, tiles, chain, all that was ever seen signed', async () => {
    const { lab, replica } = await longLog();
    const log = replica.audit(workspace);
    expect(lab.published()!.manifestRoot).not.toBeNull();
    const newest = await during(lab, log.page({ limit: 5 }));
    const { size } = log;
    expect(size).toBeGreaterThan(1000);
    expect(newest.map(({ seq }) => seq)).toEqual([0, 1, 2, 3, 4].map((at) => size - at));
    const all = [...newest];
    for (let last = newest.at(-1); last !== undefined && last.seq > 1; last = all.at(-1))
      all.push(...(await during(lab, log.page({ before: last.seq, limit: 400 }))));
    expect(all.map(({ seq }) => seq)).toEqual(Array.from({ length: size }, (_, at) => size - at));
    expect(all.find(({ kind }) => kind === 'decision-taken')).toMatchObject({ by: 'phone', n: null });
    expect(all.find(({ kind }) => kind === 'proposed')).toMatchObject({ by: 'test-client 1.2.3', n: 260 });
    expect(all.find(({ kind }) => kind === 'applied')).toMatchObject({ by: 'runtime' });

    const progress: number[] = [];
    const verdict = await during(
      lab,
      log.verify((done) => progress.push(done)),
    );
    expect(verdict).toEqual({ result: 'ok', entries: size });
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    expect(progress.length).toBeGreaterThan(10);
    expect(replica.snapshot().alarms).toEqual([]);
  });

  test('is told from one that was tampered with, has lost a tile, or is not the one that was witnessed', async () => {
    const { lab, replica } = await longLog();
    const { objects } = lab.hub;
    const log = replica.audit(workspace);
    const verify = () =>
      during(
        lab,
        log.verify(() => undefined),
      );
    const manifest = `m/${workspace}/${lab.published()!.manifestRoot}`;
    const signed = objects.get(manifest)!;
    const text = new TextDecoder().decode(signed());
    objects.set(manifest, () => new TextEncoder().encode(text.replace('\\"from\\":1', '\\"from\\":2')));
    expect(await verify()).toMatchObject({ result: 'tampered', entries: 0, why: /manifest/ });
    expect(replica.snapshot().alarms).toMatchObject([{ kind: 'damaged', workspace }]);
    objects.set(manifest, signed);

    const path = [...objects.keys()].find((each) => each.startsWith(`t/${workspace}/`))!;
    const tile = objects.get(path)!;
    objects.set(path, () => tile().map((byte, at) => (at === 500 ? byte ^ 1 : byte)));
    expect(await verify()).toMatchObject({ result: 'tampered', entries: 0, why: /is not the one the home listed/ });
    objects.delete(path);
    expect(await verify()).toMatchObject({ result: 'incomplete', entries: 0 });
    objects.set(path, tile);
    expect(await verify()).toEqual({ result: 'ok', entries: log.size });

    lab.hub
      .room(`a/${HOME_ID}/${workspace}/${lab.published()!.tile}`)
      .getMap('entries')
      .delete(String(log.size - 3));
    const again = await lab.devices['laptop']!.window();
    await lab.settle();
    const other = again.audit(workspace);
    const verdict = await during(
      lab,
      other.verify(() => undefined),
    );
    expect(verdict).toMatchObject({ result: 'tampered', entries: other.size - 4 });

    const room = `q/${HOME_ID}/${workspace}/${lab.published()!.room}`;
    const beat = { v: 1, home: HOME_ID, workspace, counter: 9_999, atMs: 5, size: 500 } as const;
    const root = '1'.repeat(64) as Digest;
    lab.hub.show(room, { heartbeat: { ...signHeartbeat(REPLICA_HOME, { ...beat, root }) } });
    await lab.settle();
    expect(await verify()).toMatchObject({ result: 'fork', why: /500 entries somebody witnessed another log/ });
    expect(replica.snapshot().alarms.map(({ kind }) => kind)).toContain('fork');
  });
});
