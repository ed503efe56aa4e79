export { openSqliteJournal, type SqliteJournalOptions } from './open.ts';
export { verifyHeadLog, type HeadLogReport } from './verify-head-log.ts';
export { verifySqliteJournal, type JournalReport } from './verify.ts';
