import * as Y from 'yjs';
import type { Random } from '../../../src/base/random.ts';
import { ROOT } from '../../../src/doc/schema.ts';
import { clientIdOf } from './link.ts';

/** Updates that a room's own writer never made. Each is made from what the room holds. */

type Pick = (n: number) => number;

export interface Forgery {
  readonly update: Uint8Array;
  /** Under the writer's own client id: its next true change may have the same clock, and is dropped by who has this. */
  readonly asWriter: boolean;
}

/** Something in a ledger or tile that the home did not put there, or something of it gone. */
export function forgedList(doc: Y.Doc, random: Random, pick: Pick): Forgery {
  return changed(doc, random, pick, (copy) => {
    const records = copy.getArray<unknown>(ROOT.ledger);
    const at = pick(Math.max(records.length, 1));
    switch (pick(4)) {
      case 0:
        records.push([random.bytes(40)]);
        break;
      case 1:
        // A record that was good once is put there again.
        records.push([bytesOf(records.get(at)) ?? random.bytes(8)]);
        break;
      case 2:
        records.push([7]);
        break;
      default:
        if (records.length > 0) records.delete(at, 1);
        else records.push([random.bytes(1)]);
    }
  });
}

/** Something in an inbox that its device did not put there, or something of it gone. */
export function forgedInbox(doc: Y.Doc, random: Random, pick: Pick): Forgery {
  return changed(doc, random, pick, (copy) => {
    const decisions = copy.getMap<unknown>(ROOT.inbox);
    const keys = [...decisions.keys()];
    const key = keys[pick(Math.max(keys.length, 1))] ?? 'w-none:1';
    const other = `${key.split(':')[0] ?? ''}:${1 + pick(40)}`;
    switch (pick(4)) {
      case 0:
        decisions.set(other, random.bytes(60));
        break;
      case 1:
        decisions.set(other, bytesOf(decisions.get(key)) ?? random.bytes(4));
        break;
      case 2:
        decisions.set(key, random.bytes(60));
        break;
      default:
        decisions.delete(key);
    }
  });
}

function changed(doc: Y.Doc, random: Random, pick: Pick, change: (copy: Y.Doc) => void): Forgery {
  const copy = new Y.Doc();
  Y.applyUpdate(copy, Y.encodeStateAsUpdate(doc));
  const before = Y.encodeStateVector(copy);
  const writers = [...copy.store.clients.keys()];
  // Under the writer's own name, or another.
  const writer = writers[pick(Math.max(writers.length, 1))];
  const asWriter = writer !== undefined && pick(2) === 0;
  copy.clientID = asWriter ? writer : clientIdOf(random.bytes(4));
  copy.transact(() => change(copy));
  return { update: Y.encodeStateAsUpdate(copy, before), asWriter };
}

function bytesOf(value: unknown): Uint8Array | undefined {
  return value instanceof Uint8Array ? value : undefined;
}
