import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { CountersignError } from '../../base/errors.ts';
import type { Sha256 } from '../../crypto/ports.ts';
import { nodeCrypto } from '../../crypto/node.ts';
import type { Journal, JournalHealth } from '../../authority/ports.ts';
import { nodeDatabase, openingError, openReader, openWriter } from './database.ts';
import { nodeDisk } from './disk.ts';
import { HeadLogWriter } from './head-writer.ts';
import { DATABASE_FILE, inspect, type Finding, type InspectOptions } from './inspect.ts';
import { SqliteJournal } from './journal.ts';
import { JOURNAL_LIMITS } from './limits.ts';
import { createTables, migrate } from './migrate.ts';
import { Reads } from './reads.ts';
import { Reserve } from './reserve.ts';
import { SCHEMA, schemaText } from './schema.ts';
import { Store } from './store.ts';
import { unwritableJournal } from './unwritable.ts';

export interface SqliteJournalOptions {
  /** The folder of the journal's files; made, for its owner only, when it is missing and the journal may write. */
  readonly dir: string;
  readonly sha256?: Sha256;
  /** Looks without a lock, beside a running writer too. */
  readonly readOnly?: boolean;
}

/** What a journal takes from its machine. Tests put faults here. */
export type SqliteJournalPorts = Partial<Pick<InspectOptions, 'disk' | 'database' | 'schema' | 'limits'>> & {
  readonly soon?: (run: () => void) => void;
};

/**
 * Opens the journal in a folder, or begins one. A damaged journal opens quarantined and is not changed.
 *
 * Throws: `too-new` for one written by a newer version; `not-found` or `stale` when it would have to be made or
 * migrated, but may only be read; `full`, `busy`, `denied` or `storage` when the disk refuses. Nothing is stored then.
 */
export function openSqliteJournal(options: SqliteJournalOptions, ports: SqliteJournalPorts = {}): Journal {
  const settings = {
    folder: options.dir,
    readOnly: options.readOnly ?? false,
    sha256: options.sha256 ?? nodeCrypto.sha256,
    disk: ports.disk ?? nodeDisk,
    database: ports.database ?? nodeDatabase,
    schema: ports.schema ?? SCHEMA,
    limits: ports.limits ?? JOURNAL_LIMITS,
    soon: ports.soon ?? ((run: () => void) => void setImmediate(run)),
  };
  try {
    return settings.readOnly ? openToRead(settings) : openToWrite(settings);
  } catch (cause) {
    throw openingError(cause);
  }
}

type Settings = InspectOptions & Required<Pick<SqliteJournalPorts, 'soon'>>;

function openToRead(settings: Settings): Journal {
  const missing = () => new CountersignError('not-found', `There is no journal in ${settings.folder}.`);
  if (settings.disk.sizeOf(settings.folder) === undefined) throw missing();
  const finding = inspect(settings);
  switch (finding.type) {
    case 'fresh':
      throw missing();
    case 'older':
      throw new CountersignError('stale', 'The journal is of an older version: start the runtime once to renew it.');
    case 'fit':
      return reader(settings, finding.health);
    case 'unfit':
      return finding.readable ? reader(settings, finding.health) : unread(finding.health);
  }
}

function openToWrite(settings: Settings): Journal {
  settings.disk.makeFolder(settings.folder);
  const finding = inspect(settings);
  switch (finding.type) {
    case 'fresh':
      return begin(settings);
    case 'older':
      return renew(settings);
    case 'fit':
      return resume(settings, finding);
    case 'unfit':
      return finding.readable ? reader(settings, finding.health) : unread(finding.health);
  }
}

function reader(settings: Settings, health: JournalHealth): Journal {
  const database = openReader(settings.database, join(settings.folder, DATABASE_FILE));
  return unwritableJournal({ health, source: { database, reads: new Reads(database, settings.sha256) } });
}

function unread(health: JournalHealth): Journal {
  return unwritableJournal({ health, source: undefined });
}

function begin(settings: Settings): Journal {
  const { disk, folder, limits, schema } = settings;
  const path = join(folder, DATABASE_FILE);
  // SQLite would make the file readable for everyone the umask lets in; its WAL takes the mode of the database.
  if (disk.sizeOf(path) === undefined) disk.open(path, 'create').close();
  return closingOnFailure(openWriter(settings.database, path), (database) => {
    if (schemaText(database) === '') createTables(database, schema);
    const headLog = HeadLogWriter.create({ disk, folder, limits });
    return writer(settings, database, { headLog, health: { state: 'sound' }, last: undefined });
  });
}

function resume(settings: Settings, { newest, health, last }: Extract<Finding, { type: 'fit' }>): Journal {
  const { disk, folder, limits } = settings;
  return closingOnFailure(openWriter(settings.database, join(folder, DATABASE_FILE)), (database) => {
    const headLog = HeadLogWriter.resume({ disk, folder, limits }, newest, last);
    return writer(settings, database, { headLog, health, last });
  });
}

function writer(
  { sha256, limits, soon, disk, folder }: Settings,
  database: Database,
  found: Pick<ConstructorParameters<typeof SqliteJournal>[0], 'health' | 'headLog' | 'last'>,
): Journal {
  const reads = new Reads(database, sha256);
  const store = new Store(database, reads.tally());
  // The first read has made the WAL. SQLite syncs its name, too, but does not say when that fails (EF-5).
  disk.syncFolder(folder);
  const reserve = new Reserve(disk, folder, limits.reserveBytes);
  reserve.restore();
  return new SqliteJournal({ ...found, database, reads, store, reserve, limits, sha256, soon });
}

function renew(settings: Settings): Journal {
  closingOnFailure(openWriter(settings.database, join(settings.folder, DATABASE_FILE)), (database) => {
    migrate(database, settings.schema, settings);
    database.close();
  });
  return openToWrite(settings);
}

function closingOnFailure<T>(database: Database, use: (database: Database) => T): T {
  try {
    return use(database);
  } catch (cause) {
    database.close();
    throw cause;
  }
}
