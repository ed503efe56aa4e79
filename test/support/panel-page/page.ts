import { mountPanel } from '../../../src/panel/mount.tsx';
import { workerDiffer } from '../../../src/panel/page/worker-differ.ts';
import { FixtureReplica } from '../panel-fixture.ts';
import { writeFile, Blobs } from '../panel-fixture-data.ts';
import { hostileSet, manySet, richSet, WORKSPACE, type FixtureSet } from '../panel-fixture-sets.ts';

/** The panel over the fixture. `?set=rich|many|hostile&leg=60|stay`; hostile texts come from `texts.json`. */
const query = new URLSearchParams(location.search);
const nowMs = Date.now();
const leg = query.get('leg');
const replica = new FixtureReplica(await setOf(query.get('set') ?? 'rich'), {
  nowMs,
  legMs: leg === 'stay' ? null : Number(leg ?? 60),
  auditSize: Number(query.get('audit') ?? 1_234),
});
const element = document.querySelector<HTMLElement>('#panel');
if (element !== null) mountPanel(element, { replica, differ: workerDiffer() });

let next = 9_000;
/** For tests to reach: the replica, and something new that arrives. */
Object.assign(window, {
  replica,
  arrive: () => {
    const [session] = replica.snapshot().workspaces[0]?.sessions ?? [];
    if (session === undefined) return;
    const place = { workspace: WORKSPACE, session: session.id, turn: 1, seq: next++, atMs: Date.now() };
    replica.arrive(writeFile(place, new Blobs(), { path: `new/${next}.ts`, before: null, after: 'x\n' }));
  },
});

async function setOf(name: string): Promise<FixtureSet> {
  if (name === 'many') return manySet(nowMs, 10_000);
  if (name !== 'hostile') return richSet(nowMs);
  const answer = await fetch('./texts.json');
  // reason: the test serves a list of strings there
  return hostileSet(nowMs, (await answer.json()) as readonly string[]);
}
