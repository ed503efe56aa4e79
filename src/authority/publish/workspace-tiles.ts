import type { Core } from '../core.ts';
import type { PublishOptions } from '../options.ts';
import { Tiles, type TilesRecord } from './tiles.ts';

/** The tiles of a workspace's own log, kept in its own journal. */
export function workspaceTiles(
  core: Core,
  options: PublishOptions,
  { onChange, onDue }: { readonly onChange: () => void; readonly onDue: () => void },
): Tiles {
  const { clock, crypto, fence, home, journal, signer, workspace } = core.options;
  return new Tiles({
    crypto,
    signer,
    clock,
    home,
    workspace,
    fence,
    outlet: options.outlet,
    keys: () => options.keys(),
    rows: (from, limit) => journal.rows(from, limit),
    size: () => journal.head().seq,
    // reason: written below only
    load: () => core.store.record('meta', 'tiles') as TilesRecord | undefined,
    save: (record) => {
      core.store.put('meta', 'tiles', 0, false, record);
      return core.commit();
    },
    onChange,
    onDue,
  });
}
