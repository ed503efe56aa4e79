import type { DecisionKind } from '../../model/decision.ts';
import { displayName } from '../../model/display-name.ts';
import type { Claim } from '../../replica/types.ts';

/** Asked for, and done: `Approve`, `Approved`. One verb a kind, everywhere (PN-10). */
const VERBS: Readonly<Record<DecisionKind, readonly [ask: string, done: string]>> = {
  approve: ['Approve', 'Approved'],
  reject: ['Reject', 'Rejected'],
  change: ['Ask for a change', 'Asked for a change'],
  edit: ['Edit', 'Edited'],
  hold: ['Hold', 'Held'],
  release: ['Release', 'Released'],
  retract: ['Undo', 'Undone'],
  reissue: ['Take the agent’s', 'Took the agent’s'],
  revert: ['Revert', 'Asked to revert'],
  retry: ['Retry', 'Asked to retry'],
  settle: ['Say what happened', 'Said what happened'],
  reconsider: ['Ask again', 'Asked again'],
  anyway: ['Apply anyway', 'Said to apply anyway'],
  'rule.add': ['Make a rule', 'Made a rule'],
  'rule.remove': ['Remove a rule', 'Removed a rule'],
  mode: ['Change the mode', 'Changed the mode'],
  pause: ['Pause', 'Paused'],
  resume: ['Resume', 'Resumed'],
  'device.confirm': ['Confirm a device', 'Confirmed a device'],
  'device.rights': ['Change a device', 'Changed a device'],
  'device.revoke': ['Remove a device', 'Removed a device'],
  'quarantine.leave': ['Leave quarantine', 'Left quarantine'],
  adopt: ['Adopt', 'Adopted'],
};

export function verbOf(kind: DecisionKind): string {
  return VERBS[kind][0];
}

export function doneOf(kind: DecisionKind): string {
  return VERBS[kind][1];
}

/** PN-1: who asked for what, and how far it has come. */
export function claimWords(claim: Claim): string {
  const done = doneOf(claim.kind);
  const where = claim.own ? 'here' : `on ${nicknameOf(claim.nickname)}`;
  switch (claim.state) {
    case 'saved':
      return claim.own ? `${done} here: saved on this device, not sent yet` : `${done} ${where}, not sent yet`;
    case 'sent':
      return claim.own
        ? `${done} here: sent, not taken by the runtime yet`
        : `${done} ${where}, not taken by the runtime yet`;
    case 'received':
      return `${done} ${where}: taken by the runtime`;
    case 'refused':
      return `${verbOf(claim.kind)} ${where} was refused${claim.why === null ? '' : `: ${claim.why}`}`;
  }
}

export function nicknameOf(nickname: string): string {
  const shown = displayName(nickname).text;
  return shown === '' ? 'another device' : shown;
}
