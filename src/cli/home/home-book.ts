import { assert } from '../../base/assert.ts';
import { toHex } from '../../base/bytes.ts';
import { neverFalling, type Clock, type EpochMs } from '../../base/clock.ts';
import { CountersignError } from '../../base/errors.ts';
import type { Random } from '../../base/random.ts';
import type { RosterDevice, RosterPort } from '../../authority/options.ts';
import type { Journal } from '../../authority/ports.ts';
import { Store } from '../../authority/store.ts';
import type { Crypto, Signer } from '../../crypto/ports.ts';
import type { Right } from '../../model/decision.ts';
import { deviceId, homeId, type DeviceId, type HomeId } from '../../model/ids.ts';
import type { SignedText } from '../../model/signed-text.ts';
import { HEAD_LIMITS, signHead, type Head } from '../../access/head.ts';
import type { WorkspaceRecord } from '../state/workspace-place.ts';
import { HOME_KEY, recordsOf, rosterDevice, WORKSPACE_PREFIX, type DeviceRecord, type HomeRecord } from './registry.ts';

export interface HomeBookOptions {
  readonly journal: Journal;
  readonly crypto: Crypto;
  readonly signer: Signer;
  readonly clock: Clock;
  readonly random: Random;
  /** It is not known what reached the disk: the process must stop (EF-5). */
  readonly onFatal: (error: unknown) => void;
}

/** The home's own journal: who may decide, which folders are guarded, and the signed head that names both. */
export class HomeBook implements RosterPort {
  readonly id: HomeId;
  readonly #options: HomeBookOptions;
  readonly #store: Store;
  readonly #nowMs: () => EpochMs;
  readonly #devices = new Map<DeviceId, DeviceRecord>();
  readonly #workspaces = new Map<string, WorkspaceRecord>();
  #home: HomeRecord;
  #head: SignedText | undefined;

  private constructor(options: HomeBookOptions) {
    this.id = homeIdOf(options.crypto, options.signer.publicKey);
    this.#options = options;
    const [newest] = options.journal.rows(options.journal.head().seq, 1);
    this.#nowMs = neverFalling(() => Math.max(options.clock.nowMs(), newest?.atMs ?? 0));
    this.#store = new Store({
      journal: options.journal,
      sha256: options.crypto.sha256,
      random: options.random,
      nowMs: this.#nowMs,
      onLost: () => this.#load(),
    });
    this.#home = { id: this.id, rosterNumber: 0, headNumber: 0 };
  }

  /** Throws `denied` when the journal belongs to another home key, `quarantined` when it was tampered with. */
  static async open(options: HomeBookOptions): Promise<HomeBook> {
    const { health } = options.journal;
    if (health.state === 'quarantined') {
      throw new CountersignError('quarantined', `The home's own journal is damaged: ${health.why}`);
    }
    const book = new HomeBook(options);
    book.#load();
    if (options.journal.head().seq === 0) {
      book.#store.stage({
        kind: 'opened',
        what: 'home',
        id: book.id,
        detail: { publicKey: toHex(options.signer.publicKey) },
      });
    }
    book.#store.stage({ kind: 'started', fence: 1, keyGen: 1 });
    await book.#publish();
    return book;
  }

  /** The newest signed head; devices never accept a lower number. */
  get head(): SignedText {
    assert(this.#head !== undefined, 'opening the book publishes a head');
    return this.#head;
  }

  get workspaces(): readonly WorkspaceRecord[] {
    return [...this.#workspaces.values()];
  }

  /** Everyone who was ever admitted, in that order, revoked ones among them. */
  get devices(): readonly DeviceRecord[] {
    return [...this.#devices.values()].toSorted((a, b) => a.addedEntry - b.addedEntry);
  }

  device(id: DeviceId): RosterDevice | undefined {
    const record = this.#devices.get(id);
    return record === undefined ? undefined : rosterDevice(record);
  }

  number(): number {
    return this.#home.rosterNumber;
  }

  /** Enrols a device that is not in the roster yet, with this right, or gives one that is this right if it is named. */
  async admit(device: {
    readonly publicKey: Uint8Array;
    /** X25519; none for a device that reads through the owner door alone. */
    readonly boxKey?: Uint8Array;
    readonly nickname: string;
    readonly right: Right | undefined;
  }): Promise<void> {
    const id = deviceIdOf(this.#options.crypto, device.publicKey);
    const boxKey = device.boxKey === undefined ? null : toHex(device.boxKey);
    const known = this.#devices.get(id);
    if (known === undefined) {
      const entry = {
        device: id,
        publicKey: toHex(device.publicKey),
        nickname: device.nickname,
        right: device.right ?? 'approve-reversible',
      } as const;
      const addedEntry = this.#store.stage({ kind: 'device-added', ...entry });
      this.#keepDevice({ ...entry, boxKey, addedEntry, revoked: false });
    } else if (device.right !== undefined && device.right !== known.right) {
      this.#store.stage({ kind: 'device-right', device: id, right: device.right });
      this.#keepDevice({ ...known, right: device.right });
    } else return;
    await this.#publish();
  }

  /** Gives a known device another right. */
  async setRight(id: DeviceId, right: Right): Promise<void> {
    const known = this.#devices.get(id);
    assert(known !== undefined, 'the device is in the roster');
    if (known.right === right) return;
    this.#store.stage({ kind: 'device-right', device: id, right });
    this.#keepDevice({ ...known, right });
    await this.#publish();
  }

  /** Keeps where a workspace is found and at which fence it stands. */
  async keepWorkspace(record: WorkspaceRecord, how: 'new' | 'moved' | 'adopted'): Promise<void> {
    const { id, ...rest } = record;
    if (!this.#workspaces.has(id) && this.#workspaces.size >= HEAD_LIMITS.workspacesMax) {
      throw new CountersignError('full', `A home guards ${HEAD_LIMITS.workspacesMax} folders at most.`);
    }
    this.#store.stage({ kind: 'opened', what: 'workspace', id, detail: { ...rest, how } });
    this.#store.put('meta', `${WORKSPACE_PREFIX}${id}`, 0, true, record);
    this.#workspaces.set(id, record);
    await this.#publish();
  }

  async close(): Promise<void> {
    this.#store.stage({ kind: 'stopped' });
    await this.#commit();
    await this.#options.journal.close();
  }

  #keepDevice(record: DeviceRecord): void {
    this.#store.put('device', record.device, record.addedEntry, true, record);
    this.#devices.set(record.device, record);
    this.#home = { ...this.#home, rosterNumber: this.#home.rosterNumber + 1 };
  }

  /** Signs what is current and makes it durable together with what led to it. */
  async #publish(): Promise<void> {
    this.#home = { ...this.#home, headNumber: this.#home.headNumber + 1 };
    this.#head = signHead(this.#options.signer, this.#present());
    this.#store.put('meta', HOME_KEY, 0, false, this.#home);
    this.#store.put('meta', 'head', 0, false, this.#head);
    await this.#commit();
  }

  async #commit(): Promise<void> {
    try {
      await this.#store.commit();
    } catch (error) {
      if (!CountersignError.is(error) || error.code !== 'full') this.#options.onFatal(error);
      throw error;
    }
  }

  #present(): Head {
    return {
      v: 1,
      home: this.id,
      number: this.#home.headNumber,
      atMs: this.#nowMs(),
      roster: [...this.#devices.values()]
        .filter((device) => !device.revoked)
        .map(({ device, publicKey, boxKey, right, addedEntry }) => ({
          device,
          publicKey,
          boxKey,
          right,
          addedEntry,
        })),
      rosterNumber: this.#home.rosterNumber,
      workspaces: this.workspaces.map(({ id, fence }) => ({
        id,
        fence,
        keyGen: 1,
        room: null,
        tile: null,
        manifestRoot: null,
        checkpoint: null,
        boxes: [],
        older: [],
      })),
    };
  }

  /** What the journal holds; also after a full disk took back what was staged. */
  #load(): void {
    const { devices, home, workspaces } = recordsOf(this.#options.journal);
    this.#home = home ?? { id: this.id, rosterNumber: 0, headNumber: 0 };
    if (this.#home.id !== this.id) {
      throw new CountersignError('denied', 'The state folder holds the journal of another home: its key was replaced.');
    }
    this.#devices.clear();
    for (const record of devices) this.#devices.set(record.device, record);
    this.#workspaces.clear();
    for (const record of workspaces) this.#workspaces.set(record.id, record);
  }
}

export function homeIdOf(crypto: Pick<Crypto, 'sha256'>, publicKey: Uint8Array): HomeId {
  return homeId(crypto.sha256(publicKey));
}

export function deviceIdOf(crypto: Pick<Crypto, 'sha256'>, publicKey: Uint8Array): DeviceId {
  return deviceId(crypto.sha256(publicKey));
}
