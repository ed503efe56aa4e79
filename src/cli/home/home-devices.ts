import { assert } from '../../base/assert.ts';
import { fromHex, toHex } from '../../base/bytes.ts';
import { CountersignError } from '../../base/errors.ts';
import type { Random } from '../../base/random.ts';
import { deviceIdOf } from '../../access/home-id.ts';
import { mayDecide, rightAtMost } from '../../access/rights.ts';
import type { Crypto } from '../../crypto/ports.ts';
import type { Right } from '../../model/decision.ts';
import type { DeviceId } from '../../model/ids.ts';
import type { DeviceRow, PanelLink } from '../../model/owner-port.ts';
import type { Enrolled, EnrolRequest } from '../http/enrol.ts';
import { panelOrigin } from '../http/request.ts';
import { cappedRight } from './capped-roster.ts';
import type { HomeBook } from './home-book.ts';
import { PanelLinks } from './panel-links.ts';
import type { DeviceRecord } from './registry.ts';

export interface HomeDevicesParts {
  readonly book: HomeBook;
  /** Ed25519, 32 bytes. */
  readonly homeKey: Uint8Array;
  readonly crypto: Crypto;
  readonly random: Random;
  /** The command line's own id: its right is what is handed on. */
  readonly self: DeviceId;
  readonly port: number;
  readonly relayUrl: string;
  /** Sessions connected now: any at all, and any that could be the one who types (T22). */
  readonly sessions: () => { readonly live: boolean; readonly uncontained: boolean };
  /** Is a window of this device connected? `null` where that cannot be told. */
  readonly online: (device: DeviceId) => boolean | null;
}

/** Who may decide for this home: links that enrol a browser, and what the command line may change in the roster. */
export class HomeDevices {
  readonly #parts: HomeDevicesParts;
  readonly #links: PanelLinks;

  constructor(parts: HomeDevicesParts) {
    this.#parts = parts;
    this.#links = new PanelLinks({ random: parts.random, sha256: parts.crypto.sha256 });
  }

  /** A new link. Nobody mints a right above their own; while no session is live, whoever runs `up` is the person. */
  link(by: 'up' | 'panel'): PanelLink {
    const right = by === 'up' && !this.#parts.sessions().live ? 'approve-all' : this.#present();
    return { url: `${panelOrigin(this.#parts.port)}/#b=${this.#links.mint(right)}`, right };
  }

  /**
   * Uses a link up: the browser that brought it is a device from now on.
   *
   * Throws: `not-found` for a link that is spent or unknown; `denied` for a device that was revoked; `bad-input`.
   */
  async enrol({ boxKey, nickname, publicKey, secret }: EnrolRequest): Promise<Enrolled> {
    const { book, crypto, homeKey, relayUrl } = this.#parts;
    const key = bytesOf(publicKey);
    const id = deviceIdOf(crypto.sha256, key);
    if (id === this.#parts.self) throw new CountersignError('denied', NOT_A_BROWSER);
    if (book.device(id)?.revoked === true) throw new CountersignError('denied', REVOKED);
    if (!(await this.#canShare(bytesOf(boxKey))))
      throw new CountersignError('bad-input', 'Nothing can be sealed for this box key.');
    const link = this.#links.take(secret);
    if (link === undefined) throw new CountersignError('not-found', SPENT);
    const known = book.device(id)?.right;
    // A device that uses one more link keeps what it has, unless the link gives more.
    const right = known !== undefined && rightAtMost(link.right, known) ? known : link.right;
    try {
      await book.admit({ publicKey: key, boxKey: bytesOf(boxKey), nickname, right });
    } catch (error) {
      // A full disk: nothing was stored, and the link is good when there is space.
      link.giveBack();
      throw error;
    }
    return { homeKey: toHex(homeKey), grant: book.grantFor(id), head: book.head, relayUrl };
  }

  /** Is it on the roster now? */
  isMember(device: string): boolean {
    return this.#parts.book.roster.some((record) => record.device === device);
  }

  list(): readonly DeviceRow[] {
    return this.#parts.book.roster.map((record) => this.#row(record));
  }

  /** Throws: `denied` while the command line may not; `not-found`; `bad-input` for the command line itself. */
  async revoke(device: DeviceId): Promise<DeviceRow> {
    const record = this.#changeable('device.revoke', device);
    if (device === this.#parts.self)
      throw new CountersignError(
        'bad-input',
        'The command line stays: whoever has the state folder is the command line.',
      );
    await this.#parts.book.revoke(device);
    return { ...this.#row(record), revoked: true, online: false };
  }

  /** Throws: `denied` while the command line may not, and for a right above its own; `not-found`. */
  async setRight(device: DeviceId, right: Right): Promise<DeviceRow> {
    const record = this.#changeable('device.rights', device);
    const { nickname, publicKey } = record;
    await this.#parts.book.admit({ publicKey: bytesOf(publicKey), nickname, right });
    return this.#row({ ...record, right });
  }

  /** Throws: `denied` while the command line may not leave a quarantine. */
  checkMayLeaveQuarantine(): void {
    this.#check('quarantine.leave', 'Quarantine is left');
  }

  /** What the command line may do now. */
  #present(): Right {
    const { book, self, sessions } = this.#parts;
    return cappedRight(book.device(self)?.right ?? 'view', sessions().uncontained);
  }

  /** `device.*` needs every right, so that no right above the command line's own is ever handed on. */
  #changeable(kind: 'device.revoke' | 'device.rights', device: DeviceId): DeviceRecord {
    this.#check(kind, 'Devices are changed');
    return this.#record(device);
  }

  #check(kind: 'device.revoke' | 'device.rights' | 'quarantine.leave', what: string): void {
    const present = this.#present();
    if (mayDecide(present, kind, null).ok) return;
    const way = this.#parts.sessions().uncontained
      ? 'While an agent’s session is live the command line has no more: end the session first.'
      : 'It is given with: countersign down, then countersign up --cli-right approve-all.';
    throw new CountersignError(
      'denied',
      `${what} with the right approve-all; the command line has ${present}. ${way}${kind === 'quarantine.leave' ? '' : ' A panel with that right can do it now.'}`,
    );
  }

  #record(device: DeviceId): DeviceRecord {
    const record = this.#parts.book.roster.find((candidate) => candidate.device === device);
    if (record === undefined) throw new CountersignError('not-found', 'There is no such device in the roster.');
    return record;
  }

  #row({ device, nickname, revoked, right }: DeviceRecord): DeviceRow {
    const self = device === this.#parts.self;
    return { id: device, nickname, right, revoked, self, online: this.#parts.online(device) };
  }

  /** A key of small order would get a box that nobody can open. */
  async #canShare(boxKey: Uint8Array): Promise<boolean> {
    const { crypto, random } = this.#parts;
    return (await crypto.agreement(random.bytes(32)).agree(boxKey)) !== undefined;
  }
}

const SPENT =
  'This link was used already, or the home has been started again since. Get a new one with: countersign panel';
/** Keys of devices are public: a link must not change what is known of the one that made it. */
const NOT_A_BROWSER = 'This is the key of the command line, which is no browser.';
const REVOKED =
  'This browser was revoked as a device. To enrol it anew, clear the data of this page first, then open a new link.';

function bytesOf(hex: string): Uint8Array {
  const bytes = fromHex(hex);
  assert(bytes !== undefined, 'the request was read as hexadecimal');
  return bytes;
}
