// oxlint-disable no-underscore-dangle -- reason: every private member of a stock package that we touch is named here, and
// a test looks at each of them: with a new version of the package it says which are gone.
import type { Awareness } from 'y-protocols/awareness';
import type { WebsocketProvider } from 'y-websocket';
import type { Doc } from 'yjs';

/** Ends the interval of a provider (its watchdog) or of an awareness: both read the machine's clock and keep Node alive. */
export function stopTimer(of: WebsocketProvider | Awareness): void {
  clearInterval(of._checkInterval as number | undefined); // reason: an interval's handle, whatever the host
}

/** The provider says goodbye when Node exits, which no socket lives to send; eleven such listeners are called a leak. */
export function dropExitListener(provider: WebsocketProvider): void {
  if (typeof process !== 'undefined') process.off('exit', provider._exitHandler);
}

/**
 * Yjs tells nobody of any change again once a listener of `update` threw: the list of transactions to clean up after
 * keeps one that no later one looks at. Emptied, the next change is told.
 */
export function reviveDoc(doc: Doc): void {
  if (doc._transaction === null && doc._transactionCleanups.length > 0) doc._transactionCleanups = [];
}
