/**
 * How far a folder stands from the machine it runs on.
 * `pure`: no `node:` module, no page, no clock, no dice, no network; runs anywhere and replays from a seed.
 * `portable`: no `node:` module; runs in Node and in a page. `node`: needs Node. `page`: needs a page.
 */
export type World = 'pure' | 'portable' | 'node' | 'page';

/** One row: what the files of a folder may import besides each other and packages. Type imports count. */
export interface LayerRow {
  /** Path under `src` (or `sync-server`), without extension. `x/*` makes each folder in `x` a layer of its own. */
  readonly folder: string;
  readonly may: readonly string[] | 'all';
  readonly world: World;
}

/** The allow-list, quoted in docs/architecture.md. A file no row speaks of is a violation. */
export const LAYERS: readonly LayerRow[] = [
  { folder: 'base', may: [], world: 'pure' },
  { folder: 'crypto/ports', may: ['base'], world: 'pure' },
  { folder: 'crypto', may: ['base'], world: 'node' },
  { folder: 'model/ids', may: ['base'], world: 'pure' },
  { folder: 'model/signed-text', may: [], world: 'pure' },
  { folder: 'model', may: ['base', 'crypto/ports'], world: 'pure' },
  { folder: 'access', may: ['model/ids', 'model/signed-text', 'crypto', 'base'], world: 'pure' },
  { folder: 'trust', may: ['access', 'model', 'crypto', 'base'], world: 'pure' },
  { folder: 'doc', may: ['trust', 'access', 'model', 'crypto', 'base'], world: 'pure' },
  { folder: 'sync', may: ['access', 'model/ids', 'model/signed-text', 'crypto', 'base'], world: 'portable' },
  { folder: 'overlay', may: ['model', 'base'], world: 'pure' },
  { folder: 'view', may: ['overlay', 'model', 'base'], world: 'node' },
  { folder: 'authority/ports', may: ['overlay', 'model', 'base'], world: 'pure' },
  {
    folder: 'authority',
    may: ['doc', 'overlay', 'view', 'trust', 'access', 'sync', 'model', 'crypto', 'base'],
    world: 'pure',
  },
  { folder: 'replica', may: ['doc', 'trust', 'access', 'sync', 'model', 'crypto', 'base'], world: 'portable' },
  { folder: 'door', may: ['model', 'base'], world: 'node' },
  { folder: 'surfaces/*', may: ['authority/ports', 'overlay', 'model', 'crypto', 'base'], world: 'node' },
  { folder: 'hosts/*', may: ['authority', 'door', 'model', 'base'], world: 'node' },
  { folder: 'journal/chain', may: ['authority/ports', 'model', 'crypto', 'base'], world: 'pure' },
  {
    folder: 'journal/memory',
    may: ['journal/chain', 'authority/ports', 'model', 'crypto', 'base'],
    world: 'portable',
  },
  { folder: 'journal/*', may: ['journal/chain', 'authority/ports', 'model', 'crypto', 'base'], world: 'node' },
  { folder: 'panel', may: ['replica', 'model', 'base'], world: 'page' },
  { folder: 'cli', may: 'all', world: 'node' },
  { folder: 'index', may: ['authority', 'surfaces', 'journal/memory', 'crypto', 'model', 'base'], world: 'portable' },
  { folder: 'testing', may: ['authority/ports', 'overlay', 'journal/memory', 'model', 'base'], world: 'node' },
  { folder: 'sync-server', may: ['sync', 'access', 'model/ids', 'model/signed-text', 'crypto', 'base'], world: 'node' },
];

/**
 * Which folders may import which package. A package that is not named here is imported nowhere, so a new dependency
 * is a decision someone wrote down.
 */
export const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  // The native module: the embedding entry point must load without it.
  'better-sqlite3': ['journal/sqlite', 'cli', 'sync-server'],
  // Yjs types stay behind one door; the rest of the code sees records.
  yjs: ['doc', 'sync', 'sync-server'],
  lib0: ['doc', 'sync', 'sync-server'],
  'y-protocols': ['sync', 'sync-server'],
  'y-websocket': ['sync'],
  'y-indexeddb': ['replica'],
  '@modelcontextprotocol/sdk': ['hosts/mcp', 'cli'],
  ws: ['sync-server', 'cli'],
  pino: ['sync-server', 'cli'],
  idb: ['replica'],
  react: ['panel'],
  'react-dom': ['panel'],
  '@tanstack/react-virtual': ['panel'],
  '@noble/ciphers': ['crypto'],
  '@noble/curves': ['crypto'],
  '@noble/hashes': ['crypto'],
  diff: ['model', 'surfaces/files'],
  'node-diff3': ['surfaces/files'],
  re2js: ['surfaces/files'],
  picocolors: ['cli'],
  zod: ['model', 'access', 'trust', 'doc', 'authority', 'door', 'surfaces', 'hosts', 'journal', 'cli'],
};
