import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { CLOSE_CODES } from '../../../src/sync/close-codes.ts';
import { MESSAGE, SYNC_LIMITS } from '../../../src/sync/messages.ts';
import { RELAY_LIMITS } from '../../../sync-server/limits.ts';

const wire = readFileSync(new URL('../../../docs/wire.md', import.meta.url), 'utf8');
const section = wire.slice(wire.indexOf('\n## Relay\n'));

/** Cells of the rows of the table whose head begins so. */
function table(head: string): readonly (readonly string[])[] {
  const lines = section.slice(section.indexOf(head)).split('\n');
  const end = lines.findIndex((line) => !line.startsWith('|'));
  return lines.slice(2, end).map((line) => line.slice(2, -2).split(' | '));
}

describe('docs/wire.md says of the relay', () => {
  test('every close code with its name, what comes next, its sentence and when, and no other', () => {
    const rows = table('| code | name | next |');
    expect(rows.map(([code, name, next, sentence]) => [code, name, next, sentence])).toEqual(
      Object.entries(CLOSE_CODES).map(([name, { code, next, sentence }]) => [String(code), name, next, sentence]),
    );
    for (const row of rows) expect(row[4]).toMatch(/\w/);
  });

  test('no sentence that is too long for a close frame', () => {
    for (const { sentence } of Object.values(CLOSE_CODES)) expect(Buffer.byteLength(sentence)).toBeLessThanOrEqual(123);
  });

  test('every message by number', () => {
    const numbers = new Set(table('| message | from |').map(([message]) => Number.parseInt(message ?? '', 10)));
    expect([...numbers].toSorted((a, b) => a - b)).toEqual(
      Object.values(MESSAGE).filter((number) => number !== MESSAGE.auth),
    );
  });

  test('the limits it has', () => {
    expect(SYNC_LIMITS.updateBytesMax).toBe(512 * 1024);
    expect(section).toContain('Larger than 512 KiB');
    expect(RELAY_LIMITS.bufferedBytesMax).toBe(4 * 1024 * 1024);
    expect(section).toContain('more than 4 MiB wait');
    expect(RELAY_LIMITS.unstoredBytesMax).toBe(2 * 1024 * 1024);
    expect(section).toContain('more than 2 MiB of its changes wait');
    expect(section).toContain(`one room over ${RELAY_LIMITS.readersPerDeviceMax} connections`);
    expect(section).toContain(`a room with ${RELAY_LIMITS.socketsPerRoomMax} connections`);
    expect([RELAY_LIMITS.challengeMs, RELAY_LIMITS.ticketMs, RELAY_LIMITS.handshakeMsMax]).toEqual([
      30_000, 600_000, 10_000,
    ]);
    expect([RELAY_LIMITS.snapshotBytesMax, RELAY_LIMITS.objectBytesMax]).toEqual([
      20 * 1024 * 1024,
      32 * 1024 * 1024 + 64,
    ]);
    expect([RELAY_LIMITS.awarenessClientsMax, RELAY_LIMITS.awarenessBytesMax]).toEqual([4, 4_096]);
  });
});
