import type { Cancel } from '../../base/clock.ts';
import type { KeyRing } from '../../doc/keys.ts';
import { newDoc, type SharedDoc } from '../../doc/shared-doc.ts';
import { TileReader } from '../../doc/tile.ts';
import type { RoomLink } from '../../sync/contract.ts';
import type { Core } from '../core.ts';
import { REPLICA_LIMITS } from '../limits.ts';
import type { CachedDoc } from '../ports.ts';

/** The audit tile that is still being written, followed while somebody looks at the log. */
export class OpenTile {
  readonly name: string;
  readonly reader: TileReader;
  readonly #core: Core;
  readonly #doc: SharedDoc = newDoc();
  readonly #cached: CachedDoc;
  #link: RoomLink | undefined;
  #closed = false;

  /** `name`: the room's whole name. */
  constructor(core: Core, name: string, keys: () => KeyRing) {
    this.name = name;
    this.#core = core;
    this.reader = new TileReader(this.#doc, { crypto: core.crypto, name, keys });
    this.#cached = core.cache.attach(name, this.#doc);
    core.run(async () => {
      await this.#cached.loaded;
      if (!this.#closed) this.#link = core.client.join({ room: name, doc: this.#doc, role: 'reader' });
    });
  }

  get last(): number {
    return this.reader.numbers.at(-1) ?? 0;
  }

  /** Kept when an entry of this number is here, or does not come in time: the relay is away, or the home is. */
  async reaches(seq: number): Promise<void> {
    if (this.last >= seq) return;
    await new Promise<void>((resolve) => {
      const ends: Cancel[] = [];
      const done = (): void => {
        for (const end of ends) end();
        resolve();
      };
      ends.push(
        this.reader.onChange(() => (this.last >= seq ? done() : undefined)),
        this.#core.clock.after(REPLICA_LIMITS.tileMsMax, done),
      );
    });
  }

  close(options: { readonly forget: boolean }): void {
    this.#closed = true;
    this.#link?.close();
    this.reader.destroy();
    this.#cached.close();
    this.#doc.destroy();
    if (options.forget) this.#core.cache.forget(this.name);
  }
}
