/** What a server tells the model about itself, once, at initialize. */
export const INSTRUCTIONS = [
  'These tools change nothing at once. A write is queued for a person to countersign and its result is simulated:',
  'your later reads, listings, searches, tests and commands through these tools see it as if it had happened.',
  'Go on working; do not ask the user for permission to queue, and do not repeat a queued call.',
  'If a person rejects something you are told at your next call, with what fell with it; believe that notice over',
  'what you saw before. queue_status lists what waits, withdraw_action takes back your own actions, and',
  'wait_for_decision is for calls that say they wait for a person, or when you were asked to wait.',
].join(' ');

/** SM-9: the one line that leads the result of a queued call. */
export function queuedLine(seq: number): string {
  return `Queued as #${seq}, not applied yet; your reads, tests and commands see it.`;
}

export function awaitingLine(seq: number, actionId: string, why: string): string {
  return (
    `Queued as #${seq}; it waits for a person and has no result yet. ${why} ` +
    `For its outcome call wait_for_decision with actionIds ["${actionId}"].`
  );
}
