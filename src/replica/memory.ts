import type { Json } from '../base/canonical-json.ts';
import { CountersignError } from '../base/errors.ts';
import type { MakeAgreement, Signer } from '../crypto/ports.ts';
import type { Random } from '../base/random.ts';
import type { WorkspaceId } from '../model/ids.ts';
import { REPLICA_LIMITS } from './limits.ts';
import type {
  Bus,
  ChainEnd,
  DecisionKey,
  DocCache,
  Fact,
  Identity,
  KeyMaker,
  Leader,
  OpenBus,
  OutboxEntry,
  OutboxStore,
  RefusedEntry,
  ReplicaStorage,
} from './ports.ts';

/** Storage that ends with the process; for tests, and for pages that are given nothing better. Says that it forgets. */
export function memoryStorage(options: { readonly volatile?: string | null } = {}): ReplicaStorage {
  const { volatile = 'Nothing is stored on this device: what is not received is lost when this page closes.' } =
    options;
  let identity: Identity | undefined;
  const facts = new Map<string, Fact>();
  const blobs = new Map<string, Uint8Array>();
  const { clear, ...outbox } = memoryOutbox();
  return {
    identity: {
      load: async () => identity,
      save: async (value) => void (identity = value),
    },
    outbox,
    facts: {
      get: async (key) => facts.get(key),
      async raise(key, fact) {
        const kept = facts.get(key);
        const newest = kept === undefined || kept.number < fact.number ? { ...fact, value: copyOf(fact.value) } : kept;
        facts.set(key, newest);
        return newest;
      },
    },
    blobs: {
      list: async () => [...blobs].map(([address, sealed]) => ({ address, bytes: sealed.length })),
      get: async (address) => blobs.get(address),
      put: async (address, sealed) => void blobs.set(address, sealed),
      drop: async (addresses) => addresses.forEach((address) => blobs.delete(address)),
    },
    volatile: async () => volatile,
    async clear() {
      identity = undefined;
      facts.clear();
      blobs.clear();
      clear();
    },
    close: () => undefined,
  };
}

function memoryOutbox(): OutboxStore & { readonly clear: () => void } {
  const waiting = new Map<string, OutboxEntry>();
  const ends = new Map<WorkspaceId, ChainEnd>();
  let refused: readonly RefusedEntry[] = [];
  const endOf = (workspace: WorkspaceId): ChainEnd => ends.get(workspace) ?? { n: 0, hash: null };
  return {
    read: async () => ({ waiting: [...waiting.values()].toSorted(byNumber), refused }),
    end: async (workspace) => endOf(workspace),
    async append(workspace, after, entries) {
      const end = endOf(workspace);
      const last = entries.at(-1);
      if (end.n !== after.n || end.hash !== after.hash) return false;
      if (waiting.size + entries.length > REPLICA_LIMITS.waitingMax) throw outboxFull();
      for (const entry of entries) waiting.set(keyText(entry), entry);
      if (last !== undefined) ends.set(workspace, { n: last.n, hash: last.hash });
      return true;
    },
    async markSent(keys) {
      for (const key of keys) {
        const entry = waiting.get(keyText(key));
        if (entry !== undefined) waiting.set(keyText(key), { ...entry, state: 'sent' });
      }
    },
    async settle(key, answer) {
      if (!waiting.delete(keyText(key)) || answer === null) return;
      refused = [...refused, answer].slice(-REPLICA_LIMITS.refusedMax);
    },
    clear() {
      waiting.clear();
      ends.clear();
      refused = [];
    },
  };
}

export function outboxFull(): CountersignError {
  const why = `${REPLICA_LIMITS.waitingMax} decisions wait on this device already. Connect it, so that the runtime can take them.`;
  return new CountersignError('full', why);
}

function byNumber(a: DecisionKey, b: DecisionKey): number {
  if (a.workspace !== b.workspace) return a.workspace < b.workspace ? -1 : 1;
  return a.n - b.n;
}

/** No cache: every start begins with nothing. */
export const noCache: DocCache = {
  attach: () => ({ loaded: Promise.resolve(), close: () => undefined }),
  forget: () => undefined,
};

/** Leadership among windows of one process: who asks first leads until it gives up. */
export function memoryLeader(): Leader {
  const queues = new Map<string, (() => void)[]>();
  return {
    ask(name, lead) {
      const queue = queues.get(name) ?? [];
      queues.set(name, queue);
      queue.push(lead);
      if (queue.length === 1) lead();
      return () => {
        const at = queue.indexOf(lead);
        if (at === -1) return;
        queue.splice(at, 1);
        if (at === 0) queue[0]?.();
      };
    },
  };
}

/** A bus among windows of one process. `deliver` runs each telling: at once, or when a test says so. */
export function memoryBus(deliver: (run: () => void) => void = (run) => run()): OpenBus {
  const ears = new Map<string, Set<(what: string) => void>>();
  return (name, hear): Bus => {
    const all = ears.get(name) ?? new Set();
    ears.set(name, all);
    // A listener of its own, so that two windows may pass the same function.
    const own = (what: string): void => hear(what);
    all.add(own);
    return {
      tell(what) {
        for (const ear of all) if (ear !== own) deliver(() => (all.has(ear) ? ear(what) : undefined));
      },
      close: () => void all.delete(own),
    };
  };
}

/** Keys made from secrets that this program holds itself: where the platform keeps none, and in tests. */
export function seedKeys(parts: {
  readonly random: Random;
  readonly signer: (seed: Uint8Array) => Signer;
  readonly agreement: MakeAgreement;
}): KeyMaker {
  const from = async (kept: { readonly sign: Uint8Array; readonly box: Uint8Array }) => {
    const signer = parts.signer(kept.sign);
    return {
      signer: { publicKey: signer.publicKey, sign: async (message: Uint8Array) => signer.sign(message) },
      agreement: parts.agreement(kept.box),
      kept,
    };
  };
  return {
    make: () => from({ sign: parts.random.bytes(32), box: parts.random.bytes(32) }),
    async restore(kept) {
      if (!isSeeds(kept)) throw new CountersignError('storage', 'The keys of this device cannot be read.');
      return from(kept);
    },
  };
}

function isSeeds(kept: unknown): kept is { readonly sign: Uint8Array; readonly box: Uint8Array } {
  if (typeof kept !== 'object' || kept === null || !('sign' in kept) || !('box' in kept)) return false;
  return [kept.sign, kept.box].every((part) => part instanceof Uint8Array && part.length === 32);
}

function keyText({ n, workspace }: DecisionKey): string {
  return `${workspace}:${n}`;
}

function copyOf(value: Json): Json {
  return structuredClone(value);
}
