import { expect, test } from 'vitest';
import { fromHex } from '../../../src/base/bytes.ts';
import { parseCanonical } from '../../../src/base/canonical-json.ts';
import { nobleCrypto } from '../../../src/crypto/noble.ts';
import { parseDigest } from '../../../src/model/ids.ts';
import { parseCheckpoint } from '../../../src/trust/checkpoint.ts';
import { createLogVerifier, type LogEnd } from '../../../src/trust/verify-log.ts';
import { put, workshop, type Workshop } from '../../support/workshop.ts';

const bytes = (hex: string): Uint8Array => fromHex(parseDigest(hex).ok ? hex : '') ?? new Uint8Array(0);

function checkpointsOf({ journal }: Workshop): readonly LogEnd[] {
  return journal.rows(1, 10_000).flatMap((row) => {
    const event = parseCanonical(row.event) as { kind: string; signed?: { payload: string } };
    if (event.kind !== 'checkpointed') return [];
    const checkpoint = parseCheckpoint(JSON.parse(event.signed?.payload ?? '{}'));
    if (!checkpoint.ok) throw new Error(checkpoint.error);
    const { size, root, tree } = checkpoint.value;
    return [{ size, root: bytes(root), tree: bytes(tree) }];
  });
}

test('[T21] checkpoints commit to the log as it is, also when many commit at once and across a restart', async () => {
  const first = await workshop();
  const ports = await Promise.all(Array.from({ length: 16 }, (_, i) => first.agent(`agent ${i}`)));
  await Promise.all(
    ports.map(async (port, i) => {
      for (let n = 0; n < 70; n++) await put(port, `note ${i} ${n}`, 'x');
    }),
  );
  const second = await workshop({ journal: first.journal, shelf: first.shelf, seed: 2 });
  const port = await second.agent('late');
  for (let n = 0; n < 400; n++) await put(port, `late ${n}`, 'x');
  const more = await second.agent('later');
  for (let n = 0; n < 450; n++) await put(more, `later ${n}`, 'x');
  for (let n = 0; n < 450; n++) await put(more, `later ${n}`, 'y');
  const checkpoints = checkpointsOf(second);
  expect(checkpoints.map(({ size }) => Math.round(size / 1000))).toEqual([1, 2]);
  const verifier = createLogVerifier(nobleCrypto.sha256, checkpoints);
  for (const row of second.journal.rows(1, 10_000)) expect(verifier.take(row)).toMatchObject({ ok: true });
});
