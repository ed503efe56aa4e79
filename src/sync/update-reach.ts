import type { ClientScan, Need, UpdateScan } from './update-scan.ts';

/** How much of an update a document would take in, and how much would wait for what it has not got. */
export interface Reach {
  readonly pendingStructs: number;
  readonly pendingDeletions: number;
  /** It names things in an order that no honest writer makes, and takes too long to follow. */
  readonly tangled: boolean;
}

interface Run {
  readonly scan: ClientScan;
  readonly dependents: Set<Run>;
  /** Index of the first need that is not met yet. */
  need: number;
}

/** Looks at one need for each struct, and as many again for clients that write in turns. */
const STEPS_A_STRUCT = 64;

/** Follows an update as Yjs would, from a state vector, without making anything. */
export function reachOf({ clients, deletions }: UpdateScan, stateOf: (client: number) => number): Reach {
  const reached = new Map<number, number>();
  const clockOf = (client: number): number => reached.get(client) ?? stateOf(client);
  const runs = new Map<number, Run>();
  for (const scan of clients)
    if (scan.from <= stateOf(scan.client)) runs.set(scan.client, { scan, dependents: new Set(), need: 0 });
  /** A stretch that was left out is met by the document alone; what the document has is skipped, whatever it needs. */
  const isMet = (need: Need, own: number): boolean =>
    need.client === own ? need.clock < stateOf(own) : need.clock < clockOf(need.client) || need.at < stateOf(own);
  let steps = STEPS_A_STRUCT * (16 + clients.reduce((sum, { structs }) => sum + structs, 0));
  const queue = [...runs.values()];
  for (let run = queue.pop(); run !== undefined; run = queue.pop()) {
    const before = clockOf(run.scan.client);
    let blocked: Need | undefined;
    for (; run.need < run.scan.needs.length; run.need += 1) {
      const need = run.scan.needs[run.need];
      if (need === undefined || (steps -= 1) < 0) return { pendingStructs: 0, pendingDeletions: 0, tangled: true };
      blocked = isMet(need, run.scan.client) ? undefined : need;
      if (blocked !== undefined) break;
    }
    if (blocked !== undefined && blocked.client !== run.scan.client) runs.get(blocked.client)?.dependents.add(run);
    const now = Math.max(before, blocked === undefined ? run.scan.to : blocked.at);
    if (now === before) continue;
    reached.set(run.scan.client, now);
    queue.push(...run.dependents);
    run.dependents.clear();
  }
  return {
    pendingStructs: clients.reduce((sum, scan) => sum + waiting(scan, runs.get(scan.client)), 0),
    pendingDeletions: deletions.filter(({ client, to }) => to > clockOf(client)).length,
    tangled: false,
  };
}

function waiting(scan: ClientScan, run: Run | undefined): number {
  if (run === undefined) return scan.structs;
  const blocked = scan.needs[run.need];
  return blocked === undefined ? 0 : scan.structs - blocked.index;
}
