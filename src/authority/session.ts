import type { EpochMs } from '../base/clock.ts';
import type { Resource } from '../model/content.ts';
import type { ActionId, Digest, SessionId } from '../model/ids.ts';
import type { NoticeFacts } from '../model/notice-facts.ts';
import { Mutex } from '../base/mutex.ts';
import { Overlay } from '../overlay/overlay.ts';

/** What the journal keeps of a session. */
export interface SessionRecord {
  readonly v: 1;
  readonly id: SessionId;
  readonly root: SessionId;
  readonly name: string | null;
  readonly client: string;
  readonly host: string;
  readonly openedAtMs: EpochMs;
  readonly turn: number;
  /** Whether a person ever rejected a call of this session: only then is a proposal looked up among them (SM-8). */
  readonly rejections: boolean;
  /** Its host has it plan (DR-8); absent in act mode. */
  readonly plan?: true;
}

/** One run of an agent, in memory. */
export interface Session {
  record: SessionRecord;
  /** Connections that are open now. */
  connections: number;
  lastCallAtMs: EpochMs;
  /** Proposals of one root session are described and simulated one after the other: each sees the one before. */
  readonly turnstile: Mutex;
  readonly overlay: Overlay;
  /** The live actions this session was shown, each with its running number (SM-6 *saw*). */
  readonly sightings: Map<ActionId, number>;
  sightingCount: number;
  /** Undecided actions by what they do: a repeat makes no second card (CP-2). */
  readonly byDigest: Map<Digest, ActionId>;
  /** What waits: live actions by their first target, and the bytes they hold (CP-1). */
  readonly load: { readonly steps: Map<Resource, number>; bytes: number };
  readonly notices: { readonly n: number; readonly facts: NoticeFacts }[];
  noticeCount: number;
}

export function newSession(record: SessionRecord): Session {
  return {
    record,
    connections: 0,
    lastCallAtMs: 0,
    turnstile: new Mutex(),
    overlay: new Overlay(),
    sightings: new Map(),
    sightingCount: 0,
    byDigest: new Map(),
    load: { steps: new Map(), bytes: 0 },
    notices: [],
    noticeCount: 0,
  };
}

/** Forgets what the journal knows; connections and the turnstile stay. */
export function emptySession(session: Session): void {
  session.overlay.clear();
  for (const index of [session.sightings, session.byDigest, session.load.steps]) index.clear();
  session.sightingCount = 0;
  session.load.bytes = 0;
  session.notices.length = 0;
  session.noticeCount = 0;
}
