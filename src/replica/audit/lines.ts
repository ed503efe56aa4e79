import type { Actor } from '../../model/action.ts';
import { parseAuditEntry, type AuditEntry } from '../../trust/audit.ts';
import { canonicalOf } from '../head/signed-json.ts';
import type { AuditLine, WorkspaceView } from '../types.ts';
import { TamperedError } from './tiles.ts';

/** An audit entry as people read it. Throws: `TamperedError` for bytes that are no entry of this number. */
export function lineOf(view: WorkspaceView, seq: number, bytes: Uint8Array): AuditLine {
  const value = canonicalOf(bytes);
  const entry = value === undefined ? undefined : parseAuditEntry(value);
  if (entry?.ok !== true || entry.value.seq !== seq) throw new TamperedError(`The audit entry ${seq} cannot be read.`);
  const { atMs, kind, n, why } = entry.value;
  return { seq, atMs, kind, n, by: byWhom(view, entry.value), why };
}

function byWhom(view: WorkspaceView, { by }: AuditEntry): string {
  return by === null ? 'somebody' : nameOf(view, by);
}

function nameOf({ devices, sessions }: WorkspaceView, by: Actor): string {
  switch (by.type) {
    case 'device':
      return devices.get(by.device)?.nickname ?? by.device;
    case 'session': {
      const session = sessions.find(({ id }) => id === by.session);
      return session === undefined ? by.session : (session.name ?? session.client);
    }
    case 'authority':
      return 'runtime';
  }
}
