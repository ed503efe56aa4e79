import type { Actor, ApprovalSource } from '../model/action.ts';
import { EARLIER_VERSION, type EventKind, type JournalEvent } from '../model/event.ts';
import type { Digest } from '../model/ids.ts';

/** What an audit entry says of its event beyond the members that every event of an action has. */
export interface Saying {
  readonly by: Actor | null;
  readonly why: string | null;
  readonly attempt?: number;
  readonly digest?: Digest;
}

type Event<K extends EventKind> = Extract<JournalEvent, { readonly kind: K }>;

const AUTHORITY: Actor = { type: 'authority' };
const byAuthority = (why: string | null): Saying => ({ by: AUTHORITY, why });

/**
 * One line a kind: who, why, which attempt. Reasons that a person, a surface or a rule gave are said; drift, details,
 * records, decisions and evidence are not, for they may quote arguments or contents.
 */
const SAYINGS: { readonly [K in EventKind]: (event: Event<K>) => Saying } = {
  // What happens to one action.
  proposed: ({ record: { lineage, replaces } }) =>
    replaces === undefined
      ? { by: { type: 'session', session: lineage.session }, why: null }
      : { by: { type: 'device', device: replaces.device, n: replaces.n }, why: `in place of ${replaces.id}` },
  approved: (e) => bySource(e.by),
  'approval-withdrawn': (e) => byAuthority(e.why),
  'attention-raised': (e) => byAuthority(e.attention.kind),
  reissued: (e) => byAuthority(`${e.attention.kind}, was ${e.oldDigest}`),
  held: (e) => ({ by: e.by, why: e.parked.own ? 'own' : `with ${e.parked.heldWith.join(' ')}` }),
  released: (e) => ({ by: e.by, why: null }),
  rejected: (e) => ({ by: e.by, why: rejection(e) }),
  'intent-recorded': (e) => ({ by: AUTHORITY, why: null, attempt: e.intent.attempt }),
  'attempt-voided': () => byAuthority(null),
  applied: (e) => ({ by: AUTHORITY, why: e.applied.known, attempt: e.applied.attempt }),
  failed: (e) => byAuthority(e.why),
  doubted: (e) => byAuthority(e.why),
  'not-applied': (e) => byAuthority(e.known),
  retried: (e) => bySource(e.by),
  'revert-begun': (e) => ({ by: e.by, why: null, attempt: e.intent.attempt }),
  reverted: () => byAuthority(null),
  'revert-refused': (e) => byAuthority(e.why),
  'revert-doubted': (e) => byAuthority(e.why),
  contradicted: (e) => ({
    by: AUTHORITY,
    // Which version it was is said in our own words, and in no other's.
    why: e.applied?.drift?.startsWith(EARLIER_VERSION) === true ? `${e.evidence}: an earlier version` : e.evidence,
    ...(e.applied === null ? {} : { attempt: e.applied.attempt }),
  }),

  // What happens besides.
  opened: (e) => byAuthority(`${e.what} ${e.id}`),
  started: (e) => byAuthority(`fence ${e.fence}, key generation ${e.keyGen}`),
  stopped: () => byAuthority(null),
  'device-added': (e) => byAuthority(`${e.device} ${e.right}`),
  'device-right': (e) => byAuthority(`${e.device} ${e.right}`),
  'session-opened': (e) => ({ by: { type: 'session', session: e.session }, why: `${e.host} ${e.level}` }),
  'decision-taken': (e) => ({ by: { type: 'device', device: e.device, n: e.dn }, why: null, digest: e.hash }),
  // The device it names is what somebody claimed: nobody is accused of it.
  'decision-refused': (e) => ({ by: null, why: e.count === 1 ? e.why : `${e.why} (${e.count} times)` }),
  'notices-told': (e) => byAuthority(`${e.session} through ${e.through}`),
  checkpointed: (e) => ({ by: AUTHORITY, why: `size ${e.size}`, digest: e.tree }),
  quarantined: (e) => byAuthority(e.why),

  // What a person has set. A rule is said in its own words: they are what was signed.
  'rule-added': (e) => ({
    by: { type: 'device', device: e.rule.device, n: e.rule.n },
    why: `${e.rule.id}: ${e.rule.text}`,
  }),
  'rule-removed': (e) => ({ by: e.by, why: `${e.rule} ${e.why}` }),
  'mode-set': (e) => ({ by: e.by, why: e.mode }),
  paused: (e) => ({ by: e.by, why: e.session ?? 'workspace' }),
  resumed: (e) => ({ by: e.by, why: e.session ?? 'workspace' }),
};

/** Every kind of event there is. */
export const EVENT_KINDS: readonly EventKind[] = Object.keys(SAYINGS) as EventKind[]; // reason: the table's type is total

export function sayingOf(event: JournalEvent): Saying {
  // reason: the table maps each kind to the reader of that kind, which the compiler cannot follow through an index
  const say = SAYINGS[event.kind] as (event: JournalEvent) => Saying;
  return say(event);
}

function bySource(source: ApprovalSource): Saying {
  if (source.type === 'rule') return byAuthority(`rule ${source.rule}`);
  return { by: { type: 'device', device: source.device, n: source.n }, why: null };
}

function rejection(event: Event<'rejected'>): string {
  const cause = event.felledBy === null ? event.because : `${event.because} of ${event.felledBy}`;
  return event.reason === null ? cause : `${cause}: ${event.reason}`;
}
