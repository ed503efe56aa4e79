import type { BenchSocket } from './sync-socket.ts';
import type { Side } from './sync-side.ts';
import { ledgerLike, type LedgerLike } from './sync-updates.ts';

/** A writer and a reader of one room, with a document whose first state has gone through. */
export interface Pair {
  readonly side: Side;
  readonly writer: BenchSocket;
  readonly reader: BenchSocket;
  readonly ledger: LedgerLike;
  /** Changes the writer has sent. */
  readonly sent: () => number;
  /** Sends the next change, made before the clock starts. */
  readonly send: (update: Uint8Array) => void;
  /** Resolves when the reader has had so many changes. */
  readonly arrived: (count: number) => Promise<void>;
  close(): Promise<void>;
}

export async function openPair(side: Side, at: number, updateBytes?: number): Promise<Pair> {
  const ledger = ledgerLike(updateBytes);
  const writer = await joined(side, 'home', at);
  const reader = await joined(side, 'device', at);
  let sent = 0;
  const send = (update: Uint8Array): void => {
    sent += 1;
    writer.send(update);
  };
  const arrived = (count: number): Promise<void> => Promise.race([reader.updates(count), writer.ended]);
  send(ledger.state());
  await arrived(1);
  return {
    side,
    writer,
    reader,
    ledger,
    sent: () => sent,
    send,
    arrived,
    async close() {
      await writer.close();
      await reader.close();
    },
  };
}

/** A socket whose room has answered: nothing of opening it is in what is measured next. */
export async function joined(side: Side, who: 'home' | 'device', at: number): Promise<BenchSocket> {
  const socket = await side.open(who, at);
  // An echo has no state to exchange.
  if (side.name === 'echo') return socket;
  const answered = socket.next('step2');
  socket.step1(Uint8Array.of(0));
  await answered;
  return socket;
}
