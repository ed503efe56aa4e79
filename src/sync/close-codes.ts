/**
 * Why a relay ended a socket, for programs and for people. What the other side does next is part of the meaning:
 * `again`: with a new proof, once at once, then with growing pauses · `head`: fetch the head, then the room it names ·
 * `wait`: pauses only · `stop`: this room is left alone until a person or a newer head says otherwise.
 */
export const CLOSE_CODES = {
  unauthenticated: {
    code: 4401,
    next: 'again',
    sentence: 'The relay did not accept this device’s proof; it asks for a new one.',
  },
  forbidden: { code: 4403, next: 'stop', sentence: 'This device may not do that in this room.' },
  slow: { code: 4408, next: 'wait', sentence: 'This connection took too long to read; it starts again where it was.' },
  replaced: { code: 4409, next: 'stop', sentence: 'A newer connection of this device took over.' },
  gone: { code: 4410, next: 'head', sentence: 'The document lives elsewhere now; the head says where.' },
  'too-large': { code: 4413, next: 'stop', sentence: 'A message was larger than the relay takes.' },
  malformed: { code: 4422, next: 'stop', sentence: 'A message was not understood; one side may need an update.' },
  'too-fast': { code: 4429, next: 'wait', sentence: 'Too much was sent in too short a time.' },
  full: { code: 4507, next: 'wait', sentence: 'The relay has no room left for this home.' },
} as const satisfies Record<string, CloseCode>;

export type CloseReason = keyof typeof CLOSE_CODES;

export interface CloseCode {
  readonly code: number;
  readonly next: 'again' | 'head' | 'wait' | 'stop';
  readonly sentence: string;
}

/** What a close means; `undefined` for a code that is not ours (the network, a restart): connect again. */
export function closeReasonOf(code: number): CloseReason | undefined {
  // reason: the keys of the table are its reasons
  return (Object.keys(CLOSE_CODES) as CloseReason[]).find((reason) => CLOSE_CODES[reason].code === code);
}
