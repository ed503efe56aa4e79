import type { Flags } from '../args/parse.ts';

/** What the relay itself takes, in the words of its own program. */
export const RELAY_FLAGS = {
  port: 'text',
  host: 'text',
  data: 'text',
  admit: 'text',
  home: 'list',
  open: 'flag',
  origin: 'list',
  'public-origin': 'list',
} as const satisfies Flags;
