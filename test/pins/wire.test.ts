import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseCanonical, type Json } from '../../src/base/canonical-json.ts';
import { fromHex, utf8 } from '../../src/base/bytes.ts';
import { nobleCrypto } from '../../src/crypto/noble.ts';
import { nodeCrypto } from '../../src/crypto/node.ts';
import { openCheckpoint } from '../../src/trust/checkpoint.ts';
import { openDecision } from '../../src/trust/decision.ts';
import { openHead } from '../../src/access/head.ts';
import { openHeartbeat } from '../../src/trust/heartbeat.ts';
import { openReceipt } from '../../src/trust/receipt.ts';
import { createLogVerifier } from '../../src/trust/verify-log.ts';
import { bytesOf } from '../support/bytes-of.ts';
import { GOLDEN, render } from '../support/wire/build.ts';
import { EXAMPLES, NUMBERS } from '../support/wire/rfc8785.ts';
import { CHECKPOINT, DECISIONS, HEAD, HEARTBEAT, HOME, RECEIPT, WORKSPACE } from '../support/wire/values.ts';

/**
 * Goal: what was written once is written the same for ever, and read for ever.
 * Method: the frozen files are compared byte by byte with what the present code makes, and read by the present
 * readers. A file that has to change is deleted by hand and made anew by `scripts/golden.ts`.
 */
const folder = new URL('../golden/wire/', import.meta.url);
const frozen = (name: string): string => readFileSync(new URL(`${name}.json`, folder), 'utf8');

interface FrozenRecord {
  readonly publicKey: string;
  readonly payload: string;
  readonly signature: string;
}
interface FrozenLog {
  readonly tree: string;
  readonly rows: readonly {
    readonly seq: number;
    readonly event: string;
    readonly audit: string;
    readonly root: string;
  }[];
}

test.each(Object.entries(GOLDEN))('%s is written as it was frozen', async (name, build) => {
  expect(render(await build())).toBe(frozen(name));
});

test('every frozen file is compared', () => {
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
  expect(files.toSorted()).toEqual(
    Object.keys(GOLDEN)
      .map((name) => `${name}.json`)
      .toSorted(),
  );
});

test('canonical JSON is that of RFC 8785', () => {
  expect(JSON.parse(frozen('canonical-json'))).toEqual({
    numbers: NUMBERS.map(([bits, canonical]) => ({ bits, canonical })),
    examples: EXAMPLES,
  });
});

describe.each([
  ['noble', nobleCrypto],
  ['node', nodeCrypto],
])('what was frozen is read with %s', (_, { verify, sha256 }) => {
  const place = { home: HOME, workspace: WORKSPACE };

  test('[T16] decisions', () => {
    const records = JSON.parse(frozen('decision')) as Record<string, FrozenRecord>; // reason: compared above
    for (const [name, value] of Object.entries(DECISIONS)) {
      const record = records[name] as FrozenRecord; // reason: compared above
      expect(openDecision(verify, bytesOf(record.publicKey), place, record)).toEqual({ ok: true, value });
    }
  });

  test('[T16] what the home signs', () => {
    const signed = (name: string): FrozenRecord => JSON.parse(frozen(name)) as FrozenRecord; // reason: compared above
    const key = bytesOf(signed('receipt').publicKey);
    expect(openReceipt(verify, key, place, signed('receipt'))).toEqual({ ok: true, value: RECEIPT });
    expect(openHeartbeat(verify, key, place, signed('heartbeat'))).toEqual({ ok: true, value: HEARTBEAT });
    expect(openCheckpoint(verify, key, place, signed('checkpoint'))).toEqual({ ok: true, value: CHECKPOINT });
    expect(openHead(verify, key, { home: HOME, number: 5 }, signed('head'))).toEqual({ ok: true, value: HEAD });
  });

  test('[T21] the log', () => {
    const { rows, tree } = JSON.parse(frozen('log')) as FrozenLog; // reason: compared above
    const verifier = createLogVerifier(sha256);
    for (const row of rows) {
      const bytes = { event: utf8(row.event), audit: utf8(row.audit), root: bytesOf(row.root) };
      expect(verifier.take({ seq: row.seq, ...bytes })).toEqual({ ok: true, value: undefined });
    }
    const end = { size: rows.length, root: bytesOf(rows.at(-1)?.root ?? ''), tree: bytesOf(tree) };
    expect(verifier.end(end)).toEqual({ ok: true, value: undefined });
  });
});

test('[T20] no audit entry quotes arguments, contents, details, names or decisions', () => {
  const { rows } = JSON.parse(frozen('log')) as FrozenLog; // reason: compared above
  expect(rows.filter((row) => row.event.includes('SECRET')).length).toBeGreaterThan(4);
  for (const row of rows) expect(row.audit).not.toContain('SECRET');
});

test('frozen payloads are canonical', () => {
  for (const name of ['receipt', 'heartbeat', 'head', 'checkpoint']) {
    const { payload, signature } = JSON.parse(frozen(name)) as FrozenRecord; // reason: compared above
    expect(parseCanonical(utf8(payload))).toEqual<Json>(JSON.parse(payload));
    expect(fromHex(signature)).toHaveLength(64);
  }
});
