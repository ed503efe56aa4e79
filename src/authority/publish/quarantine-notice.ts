import type { Cancel } from '../../base/clock.ts';
import { digestFrom } from '../../model/digest.ts';
import { GENESIS_ROOT } from '../../trust/audit.ts';
import type { Core } from '../core.ts';
import type { PublishOptions } from '../options.ts';
import { LedgerRoom } from './ledger-room.ts';
import { PUBLISH_LIMITS } from './limits.ts';
import { workspaceDraft } from './other-records.ts';

/**
 * What devices are shown of a workspace in quarantine: that it is, and why. Its journal can store nothing, so this is
 * a ledger of its own that holds no action, in a room that no start ever returns to; the head, which the home's own
 * journal keeps, names it. The audit log stays what was published of it, and no heart beats.
 */
export class QuarantineNotice {
  readonly #core: Core;
  readonly #options: PublishOptions;
  #room: LedgerRoom | undefined;
  #openedMonotonicMs = 0;
  #cancel: Cancel | undefined;

  constructor(core: Core, options: PublishOptions) {
    this.#core = core;
    this.#options = options;
  }

  show(): void {
    const { outlet } = this.#options;
    const before = this.#options.lastPublished();
    const room = LedgerRoom.unstored(this.#core, this.#options.keys());
    // No end of this log is signed while it is in doubt, but the one that the head says anyway.
    const { root, size } = before.checkpoint ?? { size: 0, root: digestFrom(GENESIS_ROOT) };
    room.write({ puts: [workspaceDraft(this.#core, this.#options)], drops: [], asOf: { size, root } });
    if (this.#room !== undefined) outlet.close(this.#room.name);
    this.#room = room;
    this.#openedMonotonicMs = this.#core.options.clock.monotonicMs();
    outlet.open(room.name, room.state());
    this.#options.onPublished({ ...before, room: room.part });
  }

  /** The roster or the content key is another one. */
  rosterChanged(): void {
    if (this.#room !== undefined && this.#room.record.keyGen !== this.#options.keys().newest.gen) this.show();
  }

  /** The relay holds something in this room that was never written here: another room, but one a minute at most. */
  damaged(name: string): void {
    if (name !== this.#room?.name || this.#cancel !== undefined) return;
    const { clock } = this.#core.options;
    const waitMs = Math.max(this.#openedMonotonicMs + PUBLISH_LIMITS.roomEveryMs - clock.monotonicMs(), 0);
    this.#cancel = clock.after(waitMs, () => {
      this.#cancel = undefined;
      if (this.#room?.name === name) this.show();
    });
  }

  stop(): void {
    this.#cancel?.();
    this.#room = undefined;
  }
}
