import type { Level } from '../../model/owner-port.ts';

const LEVELS: Readonly<Record<Level, string>> = {
  contained: 'Contained: the agent cannot write your files or read Countersign’s state by any other way.',
  hooked: 'Hooked: every tool call of the agent passes Countersign.',
  advisory: 'Advisory: only calls to Countersign’s tools wait for you; the agent may have other ways.',
};

/** What a session's level promises, and what it does not. */
export function levelWords(level: Level): string {
  return LEVELS[level];
}
