import { utf8 } from '../../base/bytes.ts';
import { canonicalText } from '../../base/canonical-json.ts';
import type { LedgerDraft } from '../../doc/ledger-author.ts';
import type { BlobRef } from '../../model/content.ts';
import type { DeviceId } from '../../model/ids.ts';
import { LEDGER_LIMITS, type LedgerSession } from '../../model/ledger.ts';
import type { SignedText } from '../../model/signed-text.ts';
import type { Core } from '../core.ts';
import type { PublishedDevice, PublishOptions } from '../options.ts';
import type { SessionRecord } from '../session.ts';
import { clip } from './clip.ts';
import { PUBLISH_LIMITS } from './limits.ts';
import { seqSetOf } from './seq-set.ts';

/** UTF-8 bytes of a workspace's path. */
const PATH_BYTES_MAX = 4096;

/** Bytes of a receipt that still fits into a record with everything around it. */
const INLINE_RECEIPT_BYTES_MAX = 6 * 1024;

const words = (text: string): string => clip(text, LEDGER_LIMITS.textBytesMax);

export function sessionDraft(
  record: SessionRecord,
  { connected, nearlyFull, wakes }: Pick<LedgerSession, 'connected' | 'nearlyFull' | 'wakes'>,
): LedgerDraft {
  return {
    v: 1,
    type: 'session',
    id: record.id,
    client: words(record.client),
    name: record.name === null ? null : words(record.name),
    level: 'advisory',
    connected,
    openedAtMs: record.openedAtMs,
    wakes,
    nearlyFull: nearlyFull === null ? null : words(nearlyFull),
  };
}

export function workspaceDraft(core: Core, { name, root }: Pick<PublishOptions, 'name' | 'root'>): LedgerDraft {
  const { health } = core.options.journal;
  const moved = core.ground.moved();
  return {
    v: 1,
    type: 'workspace',
    id: core.options.workspace,
    name: words(name),
    root: clip(root, PATH_BYTES_MAX),
    quarantine: health.state === 'quarantined' ? words(health.why) : null,
    open: core.state.openCount,
    moved:
      moved === undefined ? null : { why: words(moved.why), actions: seqSetOf(moved.actions.map(({ seq }) => seq)) },
  };
}

/** Who may decide, and of those who could once as many as keep their name. */
export function shownDevices({ devices }: Pick<PublishOptions, 'devices'>): readonly PublishedDevice[] {
  const all = devices();
  const removed = all.filter((device) => device.removed);
  return [...all.filter((device) => !device.removed), ...removed.slice(-PUBLISH_LIMITS.removedDevicesMax)];
}

export function deviceDraft({ id, nickname, removed, right }: PublishedDevice): LedgerDraft {
  return { v: 1, type: 'device', id, nickname: words(nickname), right, removed };
}

export function receiptId(device: DeviceId, n: number): string {
  return `${device}/${n}`;
}

export function receiptDraft(device: DeviceId, n: number, receipt: SignedText | BlobRef): LedgerDraft {
  return { v: 1, type: 'receipt', id: receiptId(device, n), device, n, receipt };
}

/** The receipt as a record carries it; `bytes` when it has to be put as a blob. */
export function carried(
  core: Core,
  receipt: SignedText,
): { readonly as: SignedText | BlobRef; readonly bytes: Uint8Array | null } {
  const bytes = utf8(canonicalText(receipt));
  if (bytes.length <= INLINE_RECEIPT_BYTES_MAX) return { as: receipt, bytes: null };
  return { as: { $blob: core.store.hash(bytes), bytes: bytes.length }, bytes };
}
