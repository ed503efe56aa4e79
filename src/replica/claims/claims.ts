import { ITEM_KINDS, type Decision, type ItemKind } from '../../model/decision.ts';
import type { ActionId, DeviceId, WorkspaceId } from '../../model/ids.ts';
import type { Receipt } from '../../trust/receipt.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { Claim, DecisionState } from '../types.ts';
import type { ReadDecision } from './inbox-follower.ts';

const NONE: readonly Claim[] = [];

/** What the claims of one workspace are made of. */
export interface ClaimSources {
  readonly device: DeviceId;
  readonly outbox: Pick<Outbox, 'waiting' | 'refused'>;
  /** Decisions in the inboxes of other devices. */
  readonly decisions: Iterable<ReadDecision>;
  receiptOf(device: DeviceId, n: number): Receipt | undefined;
  nicknameOf(device: DeviceId): string;
}

/** What one decision says, wherever it was read. */
interface Said {
  readonly device: DeviceId;
  readonly n: number;
  readonly decision: Decision;
  readonly state: DecisionState;
  readonly receipt: Receipt | undefined;
}

/**
 * What was decided in one workspace on any device and is not settled by the runtime yet, by action, oldest first as
 * far as the authority's own clock can tell. Lists that did not change stay the same objects.
 */
export class Claims {
  #byAction: ReadonlyMap<ActionId, readonly Claim[]> = new Map();

  of(id: ActionId): readonly Claim[] {
    return this.#byAction.get(id) ?? NONE;
  }

  /** Makes them anew; answers the actions whose claims are other ones now. */
  update(sources: ClaimSources, workspace: WorkspaceId): readonly ActionId[] {
    const before = this.#byAction;
    const now = new Map<ActionId, readonly Claim[]>();
    for (const [id, claims] of claimsByAction(sources, workspace)) {
      const known = before.get(id);
      now.set(id, known !== undefined && sameClaims(known, claims) ? known : claims);
    }
    this.#byAction = now;
    return [...new Set([...before.keys(), ...now.keys()])].filter((id) => before.get(id) !== now.get(id));
  }
}

function claimsByAction(sources: ClaimSources, workspace: WorkspaceId): ReadonlyMap<ActionId, readonly Claim[]> {
  const byAction = new Map<ActionId, Claim[]>();
  const add = (id: ActionId, claim: Claim): void => {
    const list = byAction.get(id);
    if (list === undefined) byAction.set(id, [claim]);
    else list.push(claim);
  };
  for (const said of saidIn(sources, workspace).toSorted(inOrder)) {
    for (const { id } of said.decision.items) {
      const claim = claimOf(sources, said, id);
      if (claim !== undefined) add(id, claim);
    }
  }
  for (const { ids, kind: decided, n, why, workspace: where } of sources.outbox.refused) {
    const kind = itemKind(decided);
    if (where !== workspace || kind === undefined) continue;
    for (const id of ids) add(id, { ...who(sources, sources.device), n, kind, note: null, state: 'refused', why });
  }
  return byAction;
}

function saidIn(sources: ClaimSources, workspace: WorkspaceId): readonly Said[] {
  const own = sources.outbox.waiting.filter((entry) => entry.workspace === workspace);
  return [
    ...own.map(({ decision, n, state }): Said => ({ device: sources.device, n, decision, state, receipt: undefined })),
    ...[...sources.decisions].map(({ decision, device, hash, n }): Said => {
      const receipt = sources.receiptOf(device, n);
      return { device, n, decision, state: 'sent', receipt: receipt?.decision === hash ? receipt : undefined };
    }),
  ];
}

/** `undefined` where nothing is open any more: the runtime has taken this item, and the action shows what came of it. */
function claimOf(
  sources: ClaimSources,
  { decision, device, n, receipt, state }: Said,
  id: ActionId,
): Claim | undefined {
  const kind = itemKind(decision.kind);
  if (kind === undefined) return undefined;
  const claim = { ...who(sources, device), n, kind, note: noteOf(decision) };
  if (receipt === undefined) return { ...claim, state, why: null };
  if (receipt.refused !== null) return { ...claim, state: 'refused', why: receipt.refused };
  const result = receipt.results.find((each) => each.id === id);
  return result === undefined || result.result === 'received'
    ? undefined
    : { ...claim, state: 'refused', why: result.why };
}

function who(sources: ClaimSources, device: DeviceId): Pick<Claim, 'device' | 'nickname' | 'own'> {
  return { device, nickname: sources.nicknameOf(device), own: device === sources.device };
}

function itemKind(kind: Decision['kind']): ItemKind | undefined {
  return ITEM_KINDS.find((each) => each === kind);
}

function noteOf({ body, note }: Decision): string | null {
  const say = body?.['say'];
  return note ?? (typeof say === 'string' && say !== '' ? say : null);
}

/** No device's clock counts; what its person had seen then is the home's own word. Numbers of one device only grow. */
function inOrder(a: Said, b: Said): number {
  const seen = (a.decision.seen?.counter ?? 0) - (b.decision.seen?.counter ?? 0);
  if (seen !== 0) return seen;
  if (a.device !== b.device) return a.device < b.device ? -1 : 1;
  return a.n - b.n;
}

function sameClaims(a: readonly Claim[], b: readonly Claim[]): boolean {
  return (
    a.length === b.length &&
    a.every((one, at) => {
      const other = b[at];
      return (
        other !== undefined &&
        one.device === other.device &&
        one.n === other.n &&
        one.kind === other.kind &&
        one.state === other.state &&
        one.why === other.why &&
        one.nickname === other.nickname
      );
    })
  );
}
