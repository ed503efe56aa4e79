import type { Cancel, Clock } from '../../base/clock.ts';
import type { Seal } from '../../crypto/ports.ts';
import { InboxReader } from '../../doc/inbox.ts';
import { newDoc } from '../../doc/shared-doc.ts';
import type { DeviceId, HomeId, WorkspaceId } from '../../model/ids.ts';
import type { RelayClient, RoomLink } from '../../sync/contract.ts';
import { roomName } from '../../sync/room.ts';

export interface InboxesOptions {
  readonly client: RelayClient;
  readonly home: HomeId;
  readonly seal: Seal;
  readonly clock: Clock;
  /** Decisions of these workspaces came or went in the inbox of a device. */
  readonly onChange: (device: DeviceId, workspaces: ReadonlySet<WorkspaceId>) => void;
}

interface Inbox {
  readonly reader: InboxReader;
  readonly link: RoomLink;
  readonly end: () => void;
}

/** The inboxes of all devices on the roster, as they arrive from the relay. */
export class Inboxes {
  readonly #options: InboxesOptions;
  readonly #followed = new Map<DeviceId, Inbox>();

  constructor(options: InboxesOptions) {
    this.#options = options;
  }

  /** From now on these are followed, and no others. */
  follow(devices: Iterable<DeviceId>): void {
    const wanted = new Set(devices);
    for (const [device, inbox] of this.#followed) {
      if (wanted.has(device)) continue;
      inbox.end();
      this.#followed.delete(device);
    }
    for (const device of wanted) if (!this.#followed.has(device)) this.#followed.set(device, this.#open(device));
  }

  reader(device: DeviceId): InboxReader | undefined {
    return this.#followed.get(device)?.reader;
  }

  /** Every inbox, for who looks for a workspace's decisions in them. */
  *readers(): Iterable<readonly [DeviceId, InboxReader]> {
    for (const [device, { reader }] of this.#followed) yield [device, reader];
  }

  /** Resolves once every inbox is here as the relay has it, and after `delayMsMax` at the latest. */
  async here(delayMsMax: number): Promise<void> {
    const ended = new AbortController();
    const cancel = this.#options.clock.after(delayMsMax, () => ended.abort());
    await Promise.all([...this.#followed.values()].map(({ link }) => synced(link, ended.signal)));
    cancel();
  }

  /** Does a window of this device hold its inbox open now? */
  present(device: DeviceId): boolean {
    return (this.#followed.get(device)?.link.presences().length ?? 0) > 0;
  }

  close(): void {
    this.follow([]);
  }

  #open(device: DeviceId): Inbox {
    const { client, home, onChange, seal } = this.#options;
    const doc = newDoc();
    const name = roomName({ kind: 'inbox', home, device });
    const reader = new InboxReader(doc, { seal, name });
    reader.onChange((workspaces) => onChange(device, workspaces));
    const link = client.join({ room: name, doc, role: 'reader' });
    const end = (): void => {
      link.close();
      reader.destroy();
      doc.destroy();
    };
    return { reader, link, end };
  }
}

/** Resolves when what the relay had has arrived, or when nothing more can be expected of it for now. */
function synced(link: RoomLink, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    let cancel: Cancel = () => undefined;
    const look = (): void => {
      const now = link.state();
      const over = ['closed', 'gone', 'stopped', 'damaged'].includes(now.state);
      if (!over && !signal.aborted && !(now.state === 'online' && now.synced)) return;
      cancel();
      resolve();
    };
    cancel = link.subscribe(look);
    signal.addEventListener('abort', look, { once: true });
    look();
  });
}
