import * as Y from 'yjs';

/** Changes as the writer of a room makes them: bytes in the one shared type that its document has. */
export class RoomWriter {
  readonly doc = new Y.Doc();
  readonly #kind: string;

  /** `room`: its name, which says what its document holds. */
  constructor(room: string) {
    this.#kind = room.slice(0, 2);
  }

  /** One change, as an update. */
  write(n: number, bytes: Uint8Array = Uint8Array.of(n)): Uint8Array {
    return this.#made(() => {
      if (this.#kind === 'a/') this.doc.getMap('entries').set(String(n), bytes);
      else if (this.#kind === 'd/') this.doc.getMap('decisions').set(`w:${n}`, bytes);
      else this.doc.getArray('records').push([bytes]);
    });
  }

  /** Takes the oldest record away. */
  remove(): Uint8Array {
    return this.#made(() => this.doc.getArray('records').delete(0, 1));
  }

  #made(change: () => void): Uint8Array {
    const updates: Uint8Array[] = [];
    const keep = (update: Uint8Array): void => void updates.push(update);
    this.doc.on('update', keep);
    change();
    this.doc.off('update', keep);
    const [update] = updates;
    if (update === undefined) throw new Error('the change changed nothing');
    return update;
  }

  get state(): Uint8Array {
    return Y.encodeStateAsUpdate(this.doc);
  }
}

/** What stands in a document of ours, in an order that two documents agree on. */
export function contentsOf(doc: Y.Doc): readonly string[] {
  const bytes = (value: unknown): string => Buffer.from(value as Uint8Array).toString('hex'); // reason: the writer above writes nothing else
  return [
    ...doc.getArray('records').map((value) => bytes(value)),
    ...[...doc.getMap('entries')].map(([key, value]) => `${key}=${bytes(value)}`).toSorted(),
    ...[...doc.getMap('decisions')].map(([key, value]) => `${key}=${bytes(value)}`).toSorted(),
  ];
}

export function docOf(...updates: readonly Uint8Array[]): Y.Doc {
  const doc = new Y.Doc();
  for (const update of updates) Y.applyUpdate(doc, update);
  return doc;
}
