import { openAuthority, type Authority } from '../../src/authority/authority.ts';
import { LocalDevice } from '../../src/authority/local-device.ts';
import type { AuthorityOptions, PublishOptions, RosterPort } from '../../src/authority/options.ts';
import type { AgentPort } from '../../src/model/agent-port.ts';
import type { Journal } from '../../src/authority/ports.ts';
import type { Clock } from '../../src/base/clock.ts';
import { assert } from '../../src/base/assert.ts';
import { utf8 } from '../../src/base/bytes.ts';
import { nodeCrypto, nodeSigner } from '../../src/crypto/node.ts';
import { JOURNAL_LIMITS, type JournalLimits } from '../../src/journal/sqlite/limits.ts';
import { openSqliteJournal, type SqliteJournalPorts } from '../../src/journal/sqlite/open.ts';
import { deviceId, homeId, workspaceId } from '../../src/model/ids.ts';
import type { ItemResult } from '../../src/model/event.ts';
import type { SignedText } from '../../src/model/signed-text.ts';
import { filesPack } from '../../src/surfaces/files/index.ts';
import { seededRandom } from '../../src/testing/seeded-random.ts';
import { openReceipt } from '../../src/trust/receipt.ts';
import { rowPack } from './crash-row-surface.ts';
import type { SinkPlace } from './crash-sink-client.ts';
import { sinkPack } from './crash-sink-surface.ts';

/** Everything one start is made of. The same place and seed write the same bytes. */
export interface CrashPlace {
  readonly state: string;
  readonly workspace: string;
  readonly sink: SinkPlace;
  /** Another one for each start over the same state: ids come from it. */
  readonly seed: number;
  /** `small`: head log files and checkpoints that come every few rows. */
  readonly limits?: 'small';
  /** Where this home's relay listens, in scenes that have one. */
  readonly relayPort?: number;
  /** The one planted bug that is the surface's. */
  readonly blindRetry?: true;
}

export interface CrashHome {
  readonly authority: Authority;
  readonly person: LocalDevice;
  readonly agent: () => Promise<AgentPort>;
  /** What was received, from receipts that hold. */
  readonly resultsOf: (receipts: readonly SignedText[]) => readonly ItemResult[];
}

/** Space written ahead, which every start reads and every case copies: enough for any scene, and no more. */
const AHEAD_BYTES = 64 * 1024;
export const CRASH_LIMITS: JournalLimits = { ...JOURNAL_LIMITS, chunkBytes: AHEAD_BYTES, reserveBytes: AHEAD_BYTES };
const SMALL: JournalLimits = { ...CRASH_LIMITS, segmentRecords: 4, chunkBytes: 4096, walPages: 1, flushesPerTidy: 2 };

export const CRASH_HOME = nodeSigner(nodeCrypto.sha256(utf8('the home of the crash proofs')));
export const CRASH_PERSON = nodeSigner(nodeCrypto.sha256(utf8('the device of the crash proofs')));
const device = deviceId(nodeCrypto.sha256(CRASH_PERSON.publicKey));

/** Whose log it is, for who verifies it. */
export const CRASH_IDS = {
  home: homeId(nodeCrypto.sha256(CRASH_HOME.publicKey)),
  homeKey: CRASH_HOME.publicKey,
  workspace: workspaceId(nodeCrypto.sha256(utf8('crash'))),
  person: device,
} as const;

export interface CrashWatch {
  readonly onAlarm: (text: string) => void;
  readonly onFatal: (error: unknown) => void;
}

export interface CrashOptions {
  readonly ports?: SqliteJournalPorts;
  readonly wrap?: (journal: Journal) => Journal;
  /** Absent: this one person, and nobody to publish for. */
  readonly roster?: RosterPort;
  readonly publish?: PublishOptions;
  /** Runs before anything drains. */
  readonly before?: (authority: Authority) => Promise<void>;
}

/** Opens the real journal and head log with the real files surface, and waits for what a crash interrupted. */
export async function openCrashHome(
  place: CrashPlace,
  watch: CrashWatch,
  options: CrashOptions = {},
): Promise<CrashHome> {
  const { home, homeKey, workspace } = CRASH_IDS;
  const limits = place.limits === 'small' ? SMALL : CRASH_LIMITS;
  const journal = openSqliteJournal({ dir: place.state }, { limits, ...options.ports });
  const random = seededRandom(place.seed);
  const { before, publish, roster = ONE_PERSON } = options;
  const authorityOptions: AuthorityOptions = {
    home,
    workspace,
    fence: 1,
    journal: options.wrap?.(journal) ?? journal,
    packs: [filesPack({ root: place.workspace, denied: [place.state] }), sinkPack(place.sink, place), rowPack()],
    crypto: nodeCrypto,
    signer: CRASH_HOME,
    clock: countingClock(place.seed),
    random,
    roster,
    ...(publish === undefined ? {} : { publish }),
    ...watch,
  };
  const authority = await openAuthority(authorityOptions, before);
  const { sha256, verify } = nodeCrypto;
  const person = new LocalDevice(device, { home, workspace, authority, signer: CRASH_PERSON, sha256, verify, homeKey });
  return { authority, person, agent: () => authority.agent(HELLO), resultsOf };
}

function resultsOf(receipts: readonly SignedText[]): readonly ItemResult[] {
  return receipts.flatMap((signed) => {
    const receipt = openReceipt(nodeCrypto.verify, CRASH_IDS.homeKey, CRASH_IDS, signed);
    assert(
      receipt.ok && receipt.value.refused === null,
      'a decision of these proofs is well-formed, and so is its receipt',
    );
    return receipt.value.results;
  });
}

const ONE_PERSON: RosterPort = {
  device: (id) =>
    id === device
      ? { publicKey: CRASH_PERSON.publicKey, nickname: 'this test', right: 'approve-all', revoked: false }
      : undefined,
  number: () => 1,
};

const HELLO = {
  name: 'crash',
  client: { name: 'crash', version: '1' },
  transportId: null,
  host: 'mcp',
  workspaceDir: '/crash',
} as const;

const START_MS = 1_800_000_000_000;
const START_APART_MS = 1_000_000;

/** Time that passes by being read, so that every run writes the same numbers; only deadlines are real. */
export function countingClock(seed: number): Clock {
  let readMs = START_MS + (seed % 1_000_000) * START_APART_MS;
  return {
    nowMs: () => readMs++,
    monotonicMs: () => readMs,
    after(delayMs, run) {
      const timer = setTimeout(run, delayMs);
      return () => clearTimeout(timer);
    },
    soon: (run) => void setImmediate(run),
  };
}
