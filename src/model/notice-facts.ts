import { unreachable } from '../base/assert.ts';
import type { RejectedBecause } from './action.ts';
import { display } from './display.ts';
import type { ActionId } from './ids.ts';

export interface ActionRef {
  readonly id: ActionId;
  readonly seq: number;
}

/** The action a notice is about, under the name the agent called it by. */
interface About extends ActionRef {
  readonly tool: string;
}

/** What went with the action, and what of all that the agent's session had been shown (SM-7); empty: no restart. */
interface Withdrawn {
  readonly fell: readonly ActionRef[];
  readonly restart: readonly ActionRef[];
}

/** A person's remark on a line of what the action would write; `line` counts from 1. */
export interface LineRemark {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

/** What a person asks for instead of what they reject (SM-11). */
export interface Change {
  readonly say: string;
  readonly remarks: readonly LineRemark[];
}

/** What an agent is told, once, at its next call (SM-8). Facts only: the words are made when it is told. */
export type NoticeFacts =
  | (About &
      Withdrawn & {
        readonly type: 'rejected';
        readonly target: string;
        readonly because: RejectedBecause;
        /** The name of the device it was decided on; `null` when no person decided. */
        readonly by: string | null;
        readonly reason: string | null;
        /** A person's own version that stands in its place now. */
        readonly replacedBy?: ActionRef;
      })
  /** Rejected, with what to do instead (SM-11). */
  | (About &
      Withdrawn &
      Change & { readonly type: 'change-requested'; readonly target: string; readonly by: string | null })
  | (About & Withdrawn & { readonly type: 'reverted'; readonly target: string; readonly by: string | null })
  /** Its text is now merged with what a person changed on the ground (GM-3). */
  | (About & { readonly type: 'merged'; readonly path: string })
  | (About & { readonly type: 'failed'; readonly why: string })
  /** It was applied, and what came of it is not what was simulated (SM-5). */
  | (About & { readonly type: 'drifted'; readonly why: string })
  | (About & { readonly type: 'in-doubt'; readonly why: string })
  /** What a person said became of it was not so (EF-6). */
  | (About & { readonly type: 'contradicted'; readonly happened: boolean })
  | (About & { readonly type: 'held'; readonly parkedWith: readonly ActionRef[] })
  | { readonly type: 'released'; readonly actions: readonly ActionRef[] }
  /** The sentence of `roomWarning` (CP-1). */
  | { readonly type: 'nearly-full'; readonly text: string };

/** Wraps text of people and pages so that an agent reads it as data; `from` completes "Text from …". */
export type Fence = (text: string, from: string) => string;

const INLINE_CHARS_MAX = 160;

/** The notice in short plain sentences. What the agent itself wrote stands quoted, what others wrote stands fenced. */
export function noticeText(facts: NoticeFacts, fence: Fence): string {
  switch (facts.type) {
    case 'rejected':
      return rejectedText(facts, fence);
    case 'change-requested':
      return changeText(facts, fence);
    case 'reverted':
      return sentences(
        `${named(facts)} on ${quoted(facts.target)} had been applied and was taken back${byWhom(facts.by)}.`,
        ...withdrawnText(facts),
      );
    case 'merged':
      return sentences(
        `${quoted(facts.path)} was changed outside this session while ${named(facts)} waited.`,
        `#${facts.seq} now holds your change merged with that one, and your reads show the merged text.`,
        'Read the file again before you edit it.',
      );
    case 'failed':
      return withFenced(
        sentences(`${named(facts)} was approved but could not be applied. It changed nothing.`, 'What its tool said:'),
        fence(facts.why, `the tool of #${facts.seq}`),
      );
    case 'drifted':
      return withFenced(
        sentences(
          `${named(facts)} was applied, but what came of it is not what you were shown while it waited.`,
          'Read again what you built on it. What is different:',
        ),
        fence(facts.why, `the tool of #${facts.seq}`),
      );
    case 'in-doubt':
      return withFenced(
        sentences(
          `It is not known whether ${named(facts)} took effect.`,
          'A person settles that; do not repeat the call.',
          'What is known:',
        ),
        fence(facts.why, `the tool of #${facts.seq}`),
      );
    case 'contradicted':
      return facts.happened
        ? sentences(
            `${named(facts)} took effect after all.`,
            'A person had said that it did not. Do not repeat the call.',
          )
        : sentences(
            `${named(facts)} did not take effect after all.`,
            'A person had said that it did. It waits for a person again; your reads still show it.',
          );
    case 'held':
      return sentences(
        `${named(facts)} was put on hold by a person${alsoParked(facts.parkedWith)}.`,
        'That decides nothing: your reads still show it, and what needs it waits with it.',
      );
    case 'released':
      return `No longer on hold: ${numbers(facts.actions)}.`;
    case 'nearly-full':
      return facts.text;
    default:
      return unreachable(facts);
  }
}

function rejectedText(facts: Extract<NoticeFacts, { type: 'rejected' }>, fence: Fence): string {
  const about = `${named(facts)} on ${quoted(facts.target)}`;
  const said = sentences(
    ENDED[facts.because](about, byWhom(facts.by)),
    'It is not applied and will not be.',
    ...(facts.replacedBy === undefined
      ? []
      : [`#${facts.replacedBy.seq} stands in its place: your call as a person has corrected it, which waits now.`]),
    ...withdrawnText(facts),
    ...(facts.because === 'person' ? ['Do not repeat the same call: it gets this answer again.'] : []),
    ...(facts.reason === null ? [] : ['The reason:']),
  );
  if (facts.reason === null) return said;
  return withFenced(said, fence(facts.reason, `whoever rejected #${facts.seq}`));
}

const ENDED: Record<RejectedBecause, (about: string, by: string) => string> = {
  person: (about, by) => `${about} was rejected${by}.`,
  cascade: (about) => `${about} fell, because what it needs was withdrawn.`,
  withdrawn: (about) => `${about} was withdrawn.`,
  'user-edited': (about, by) => `${about} was set aside${by}: their own version stays.`,
  'surface-removed': (about) => `${about} was closed, because its tool is gone.`,
};

function changeText(facts: Extract<NoticeFacts, { type: 'change-requested' }>, fence: Fence): string {
  const said = sentences(
    `${named(facts)} on ${quoted(facts.target)} was rejected${byWhom(facts.by)}, who asks for something else instead.`,
    'It is not applied and will not be.',
    ...withdrawnText(facts),
    'What is asked for:',
  );
  const remarks = facts.remarks.map((remark) => `${remark.path}:${remark.line}: ${remark.text}`);
  const asked = [facts.say, ...remarks].join('\n');
  return withFenced(said, fence(asked, `the person who rejected #${facts.seq}`));
}

function withdrawnText({ fell, restart }: Withdrawn): readonly string[] {
  const lines: string[] = [];
  if (fell.length > 0) lines.push(`With it fell what needs it: ${numbers(fell)}.`);
  lines.push('From now on your reads, tests and commands do not show any of this.');
  if (restart.length > 0)
    lines.push(`Restart: you were shown ${numbers(restart)}. Discard what you concluded from that, and read again.`);
  return lines;
}

function alsoParked(parkedWith: readonly ActionRef[]): string {
  return parkedWith.length === 0 ? '' : `, and with it what needs it: ${numbers(parkedWith)}`;
}

function byWhom(device: string | null): string {
  return device === null ? '' : ` by a person, on ${quoted(device)}`;
}

function named({ seq, tool }: About): string {
  return `#${seq} ${quoted(tool)}`;
}

/** `#3, #5–#9`: all of them, however many, in the order of their numbers. */
function numbers(refs: readonly ActionRef[]): string {
  const runs: { first: number; last: number }[] = [];
  for (const seq of refs.map((ref) => ref.seq).toSorted((a, b) => a - b)) {
    const run = runs.at(-1);
    if (run !== undefined && seq <= run.last + 1) run.last = seq;
    else runs.push({ first: seq, last: seq });
  }
  return runs.map(({ first, last }) => (first === last ? `#${first}` : `#${first}–#${last}`)).join(', ');
}

/** One line that cannot end its own quotes. */
function quoted(text: string): string {
  return `"${display(text.replaceAll('"', "'"), { maxChars: INLINE_CHARS_MAX }).text}"`;
}

function sentences(...all: readonly string[]): string {
  return all.join(' ');
}

function withFenced(said: string, fenced: string): string {
  return `${said}\n${fenced}`;
}
