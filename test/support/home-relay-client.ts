import { CountersignError } from '../../src/base/errors.ts';
import type { JsonObject } from '../../src/base/canonical-json.ts';
import type { SignedText } from '../../src/model/signed-text.ts';
import type { LinkState, Publication, RelayClient } from '../../src/sync/contract.ts';

export interface FakePublication extends Publication {
  readonly updates: readonly Uint8Array[];
  readonly presented: readonly JsonObject[];
  readonly closed: boolean;
  /** From now on nothing more reaches the relay's disk. */
  hold(): void;
  /** The relay's side of it moved. */
  move(state: LinkState): void;
  damage(why: string): void;
}

export interface FakeRelayClient extends RelayClient {
  readonly published: ReadonlyMap<string, FakePublication>;
  readonly heads: SignedText[];
  readonly objects: RelayClient['objects'] & { readonly stored: Map<string, Uint8Array> };
  /** What the next requests meet; `undefined` when the relay can be reached. */
  failure: CountersignError | undefined;
  /** All that was put is gone. */
  wipe(): void;
}

/** A relay that a test moves: it stores heads and objects, and says of links what it is told to say. */
export function fakeRelayClient(): FakeRelayClient {
  const published = new Map<string, FakePublication>();
  const stored = new Map<string, Uint8Array>();
  let shown: SignedText | undefined;
  const fake: FakeRelayClient = {
    relayUrl: 'ws://localhost:1',
    published,
    heads: [],
    failure: undefined,
    head: {
      newest: () => undefined,
      subscribe: () => () => undefined,
      subscribeOddities: () => () => undefined,
      async refresh() {
        reach();
        // reason: whoever asks looks only whether there is one
        return shown === undefined ? undefined : ({ signed: shown } as never);
      },
      async put(signed) {
        reach();
        shown = signed;
        fake.heads.push(signed);
      },
    },
    objects: {
      stored,
      get: () => Promise.reject(new CountersignError('not-found', 'Not in this fake.')),
      async put(path, bytes) {
        reach();
        stored.set(path, bytes);
      },
      delete: () => Promise.resolve(),
    },
    snapshots: { get: () => Promise.resolve(undefined), put: () => Promise.resolve() },
    credentials: () => Promise.reject(new CountersignError('closed', 'Not in this fake.')),
    join: () => {
      throw new CountersignError('closed', 'Not in this fake.');
    },
    publish(room, state, { onDamaged }) {
      const publication = fakePublication(room, state, onDamaged);
      published.set(room, publication);
      return publication;
    },
    wipe() {
      shown = undefined;
      stored.clear();
    },
    reconnect: () => undefined,
    close: () => undefined,
  };
  const reach = (): void => {
    if (fake.failure !== undefined) throw fake.failure;
  };
  return fake;
}

function fakePublication(room: string, first: Uint8Array, onDamaged: (why: string) => void): FakePublication {
  const listeners = new Set<(state: LinkState) => void>();
  const updates: Uint8Array[] = [first];
  const presented: JsonObject[] = [];
  let state: LinkState = { state: 'connecting' };
  let closed = false;
  let held = false;
  return {
    room,
    updates,
    presented,
    get closed() {
      return closed;
    },
    update: (update) => void updates.push(update),
    present: (value) => void presented.push(value),
    state: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    durable: () => (held ? new Promise(() => undefined) : Promise.resolve()),
    hold() {
      held = true;
    },
    close() {
      closed = true;
    },
    move(next) {
      state = next;
      for (const listener of listeners) listener(next);
    },
    damage: (why) => onDamaged(why),
  };
}
