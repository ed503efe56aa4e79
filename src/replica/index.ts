export type {
  ActionView,
  Alarm,
  AuditLine,
  AuditLog,
  AuditVerdict,
  Claim,
  Connection,
  DecisionState,
  Detail,
  Look,
  Outgoing,
  Replica,
  Setting,
  Snapshot,
  Wish,
  WorkspaceView,
} from './types.ts';
export { openReplica, type Connecting, type ReplicaOptions } from './open-replica.ts';
export { enrol, type EnrolFetch, type EnrolOptions } from './enrol.ts';
export type {
  BlobStore,
  Bus,
  CachedDoc,
  ChainEnd,
  DecisionKey,
  DeviceKeys,
  DocCache,
  Fact,
  FactStore,
  Identity,
  IdentityStore,
  KeyMaker,
  Leader,
  OpenBus,
  OutboxContents,
  OutboxEntry,
  OutboxStore,
  RefusedEntry,
  ReplicaStorage,
} from './ports.ts';
export { memoryBus, memoryLeader, memoryStorage, noCache, seedKeys } from './memory.ts';
export { createInbox, type ChangeSet, type Inbox, type InboxSession } from './inbox/create-inbox.ts';
export { needsYou } from './inbox/needs-you.ts';
export type { InboxRow, RowFlag } from './inbox/rows.ts';
export { throughRow } from './inbox/through.ts';
