import type { Authority } from '../../authority/authority.ts';
import { PUBLISH_LIMITS } from '../../authority/publish/limits.ts';
import type { Outlet } from '../../authority/publish/outlet.ts';
import type { Cancel, Clock } from '../../base/clock.ts';
import type { Random } from '../../base/random.ts';
import type { Crypto } from '../../crypto/ports.ts';
import type { DeviceId, WorkspaceId } from '../../model/ids.ts';
import type { RelayStatus } from '../../model/owner-port.ts';
import type { RelayClient } from '../../sync/contract.ts';
import { parseRoomName } from '../../sync/room.ts';
import type { HomeBook } from './home-book.ts';
import { HomeLink } from './home-link.ts';
import { Inboxes } from './inboxes.ts';

export interface HomeSyncParts {
  readonly client: RelayClient;
  /** The relay runs inside this home. */
  readonly embedded: boolean;
  readonly book: HomeBook;
  /** The command line: it decides through the owner door and has no inbox. */
  readonly self: DeviceId;
  readonly clock: Clock;
  readonly random: Random;
  readonly crypto: Pick<Crypto, 'seal'>;
  readonly log: (line: string) => void;
}

/** Who is guarded now, as the home knows it. */
export interface Authorities {
  at(workspace: WorkspaceId): Authority | undefined;
  all(): Iterable<Authority>;
}

/** Everything between a home and its relay: what its authorities publish, the head, and what devices decided. */
export class HomeSync {
  readonly relayUrl: string;
  readonly #parts: HomeSyncParts;
  readonly #link: HomeLink;
  readonly #inboxes: Inboxes;
  #authorities: Authorities = { at: () => undefined, all: () => [] };
  #stopBook: Cancel = () => undefined;

  constructor(parts: HomeSyncParts) {
    const { book, client, clock, crypto, log, random } = parts;
    this.#parts = parts;
    this.relayUrl = client.relayUrl;
    this.#link = new HomeLink({
      client,
      clock,
      random,
      log,
      onDamaged: (room, why) => this.#damaged(room, why),
      onForgotten: () => this.#forgotten(),
    });
    this.#inboxes = new Inboxes({
      client,
      home: book.id,
      seal: crypto.seal,
      clock,
      onChange: (device, workspaces) => this.#inboxChanged(device, workspaces),
    });
  }

  get outlet(): Outlet {
    return this.#link;
  }

  /** Shows the head, and follows the inbox of everybody on the roster. */
  begin(authorities: Authorities): void {
    const { book } = this.#parts;
    this.#authorities = authorities;
    this.#follow();
    this.#link.head(book.head);
    book.publishLog(this.#link);
    this.#stopBook = book.subscribe((change) => {
      this.#link.head(book.head);
      if (change.roster) this.#follow();
      if (!change.roster && !change.keys) return;
      for (const authority of authorities.all()) tellRoster(authority);
    });
  }

  /**
   * Hands over what devices decided about a workspace while nothing ruled over it. Waits a moment for inboxes that are
   * still on their way, so that a reject among them comes before the first effect.
   */
  async takeInboxes(authority: Authority): Promise<void> {
    await this.#inboxes.here(PUBLISH_LIMITS.inboxWaitMs);
    for (const [device, reader] of this.#inboxes.readers()) await authority.takeInbox(device, reader);
  }

  /** From now on what happens reaches this authority; what came and changed while it was opened is told it here. */
  joined(authority: Authority): void {
    for (const [device, reader] of this.#inboxes.readers()) void authority.takeInbox(device, reader);
    tellRoster(authority);
  }

  /** Resolves when the relay knows of the newest change of the roster, and after a moment at the latest. */
  shown(): Promise<void> {
    return this.#link.shown();
  }

  status(): RelayStatus {
    return { embedded: this.#parts.embedded, ...this.#link.status() };
  }

  /** Is a window of this device connected? `null` for the command line, which is there when it is asked. */
  online(device: DeviceId): boolean | null {
    return device === this.#parts.self ? null : this.#inboxes.present(device);
  }

  /** A window of any device is connected. */
  get watched(): boolean {
    return this.#parts.book.roster.some(({ device }) => this.#inboxes.present(device));
  }

  /** Waits, for a bounded time, until the relay has what was published; then lets go. */
  async end(): Promise<void> {
    this.#stopBook();
    await this.#link.end();
    this.#inboxes.close();
    this.#parts.client.close();
  }

  #follow(): void {
    const { book, self } = this.#parts;
    this.#inboxes.follow(book.roster.flatMap(({ device }) => (device === self ? [] : [device])));
  }

  #inboxChanged(device: DeviceId, workspaces: ReadonlySet<WorkspaceId>): void {
    const reader = this.#inboxes.reader(device);
    if (reader === undefined) return;
    for (const workspace of workspaces) void this.#authorities.at(workspace)?.takeInbox(device, reader);
  }

  #damaged(name: string, why: string): void {
    this.#parts.log(`The relay holds what this home did not write; the document goes on in another room. ${why}`);
    const room = parseRoomName(name);
    if (!room.ok || (room.value.kind !== 'ledger' && room.value.kind !== 'tile')) return;
    const { workspace } = room.value;
    if (workspace === null) this.#parts.book.logDamaged(name);
    else this.#authorities.at(workspace)?.roomDamaged(name);
  }

  #forgotten(): void {
    this.#parts.book.putLogAgain();
    for (const authority of this.#authorities.all()) authority.putAgain();
  }
}

function tellRoster(authority: Authority): void {
  // Whatever is wrong with its store, the authority has reported it.
  authority.rosterChanged().catch(() => undefined);
}
