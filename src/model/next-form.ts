import type { Action, ActionState, Common } from './action.ts';

/** What an action is in every state, without what only its present state says. */
export function common(action: Action): Common {
  return {
    id: action.id,
    seq: action.seq,
    place: action.place,
    lane: action.lane,
    content: action.content,
    digest: action.digest,
    verdict: action.verdict,
    reversibleWhy: action.reversibleWhy,
    lineage: action.lineage,
    proposedAtMs: action.proposedAtMs,
    needs: action.needs,
    overlay: action.overlay,
    result: action.result,
    attempts: action.attempts,
    revertAttempts: action.revertAttempts,
    remark: action.remark,
    ...(action.newestAttention === undefined ? {} : { newestAttention: action.newestAttention }),
    ...(action.resolved === undefined ? {} : { resolved: action.resolved }),
    ...(action.ruled === undefined ? {} : { ruled: action.ruled }),
    ...(action.givenUp === undefined ? {} : { givenUp: action.givenUp }),
    ...(action.replaces === undefined ? {} : { replaces: action.replaces }),
  };
}

/** The same without what its references became: that belongs to one attempt. */
export function unresolved(action: Action): Common {
  if (action.resolved === undefined) return common(action);
  const { resolved: _, ...rest } = common(action);
  return rest;
}

/** What an action says in one state only, and what it says otherwise there. */
type Besides = {
  readonly [S in ActionState]: Omit<Extract<Action, { readonly state: S }>, keyof Common> & Partial<Common>;
}[ActionState];

/** For the steps that every action takes: a member that follows a spread costs the engine twenty times as much. */
export function become(fresh: Common, besides: Besides): Action {
  return Object.assign(fresh, besides);
}
