import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { canonicalBytes, parseCanonical } from '../../src/base/canonical-json.ts';
import { utf8 } from '../../src/base/bytes.ts';
import { CountersignError } from '../../src/base/errors.ts';
import { CliDevice, type Submit } from '../../src/cli/device/cli-device.ts';
import { openStateFolder } from '../../src/cli/state/folder.ts';
import { secretFile } from '../../src/cli/state/key-file.ts';
import type { Signer } from '../../src/crypto/ports.ts';
import type { SignedText } from '../../src/model/signed-text.ts';
import { signReceipt, type Receipt } from '../../src/trust/receipt.ts';
import { splitIntoDrafts, type DecisionDraft } from '../../src/model/decision-drafts.ts';
import { Outbox, type SealedDecision } from '../../src/cli/device/outbox.ts';
import { programsAbove } from '../../src/cli/device/via.ts';
import { nodeCrypto, nodeRandom, nodeSigner } from '../../src/crypto/node.ts';
import { DECISION_LIMITS, type Decision } from '../../src/model/decision.ts';
import { digestFrom } from '../../src/model/digest.ts';
import { actionId, deviceId, homeId, workspaceId } from '../../src/model/ids.ts';
import { decisionHash } from '../../src/trust/decision.ts';
import { tempDir } from '../support/temp-dir.ts';

const bytes = (n: number): Uint8Array => Uint8Array.from({ length: 16 }, (_, i) => (n >> (8 * (i % 4))) & 255);
const digest = digestFrom(new Uint8Array(32));

function draft(items: number, note = 'why'): DecisionDraft {
  return {
    v: 1,
    home: homeId(bytes(1)),
    workspace: workspaceId(bytes(1)),
    device: deviceId(bytes(1)),
    kind: 'approve',
    items: Array.from({ length: items }, (_, i) => ({ id: actionId(bytes(i)), digest, attention: 1_000_000 + i })),
    holdsLifted: [],
    seen: null,
    body: { mode: 'rest' },
    note,
  };
}

function seal(decision: Decision): SealedDecision {
  const payload = new TextDecoder().decode(canonicalBytes(decision));
  return { payload, signature: '', hash: decisionHash(nodeCrypto.sha256, payload) };
}

// reason: the payload was made by `seal` from a Decision
const read = (entry: { readonly payload: string }): Decision =>
  parseCanonical(utf8(entry.payload)) as unknown as Decision;

describe('the outbox', () => {
  test('[DC-2] numbers without gaps and links each decision to the one before, per workspace', async () => {
    const path = join(await tempDir(), 'device', 'device.db');
    const outbox = await Outbox.open(path);
    const other = { ...draft(1), workspace: workspaceId(bytes(2)) };
    const [first] = outbox.save([draft(1)], 'b1', seal);
    outbox.save([other], 'b2', seal);
    outbox.close();
    const again = await Outbox.open(path);
    const more = again.save([draft(2), draft(3)], 'b3', seal);
    const decisions = [first, ...more].map((entry) => read(entry!));
    expect(decisions.map(({ n }) => n)).toEqual([1, 2, 3]);
    expect(decisions[0]?.prev).toBeNull();
    expect(decisions[1]?.prev).toBe(decisionHash(nodeCrypto.sha256, first!.payload));
    expect(decisions[2]?.prev).toBe(decisionHash(nodeCrypto.sha256, more[0]!.payload));
    expect(decisions.map(({ batch }) => batch)).toEqual([
      undefined,
      { id: 'b3', index: 0, of: 2 },
      { id: 'b3', index: 1, of: 2 },
    ]);
    again.close();
  });

  test('[DC-2] a gesture that fails half-way leaves no number behind', async () => {
    const outbox = await Outbox.open(join(await tempDir(), 'device.db'));
    let calls = 0;
    const failing = (decision: Decision): SealedDecision => {
      if (++calls === 2) throw new Error('no');
      return seal(decision);
    };
    expect(() => outbox.save([draft(1), draft(1)], 'b', failing)).toThrow('no');
    expect(outbox.save([draft(1)], 'b', seal)[0]?.n).toBe(1);
    outbox.close();
  });

  test('[DC-6] a decision waits until its receipt is held', async () => {
    const outbox = await Outbox.open(join(await tempDir(), 'device.db'));
    const workspace = draft(1).workspace;
    const entries = outbox.save([draft(1), draft(1)], 'b', seal);
    outbox.markSent(entries);
    expect(outbox.unreceived(workspace).map(({ n, state }) => [n, state])).toEqual([
      [1, 'sent'],
      [2, 'sent'],
    ]);
    outbox.markReceived(entries[0]!, { payload: 'receipt', signature: 's' });
    outbox.markSent(entries);
    expect(outbox.unreceived(workspace).map(({ n }) => n)).toEqual([2]);
    expect(outbox.waitingWorkspaces()).toEqual([workspace]);
    expect(outbox.receiptOf(entries[0]!)).toEqual({ payload: 'receipt', signature: 's' });
    expect(outbox.receiptOf(entries[1]!)).toBeUndefined();
    outbox.close();
  });
});

describe('large gestures', () => {
  test.each([0, 1, 512, 513, 2_000])('%i items fit signatures, none lost, in order', (count) => {
    const whole = draft(count, 'x'.repeat(DECISION_LIMITS.textBytesMax));
    const parts = splitIntoDrafts(whole);
    expect(parts.flatMap(({ items }) => items)).toEqual(whole.items);
    for (const [index, part] of parts.entries()) {
      const decision = { ...part, n: 123_456, prev: digest, batch: { id: '0'.repeat(32), index, of: parts.length } };
      expect(part.items.length).toBeLessThanOrEqual(DECISION_LIMITS.itemsMax);
      expect(canonicalBytes(decision).length).toBeLessThanOrEqual(DECISION_LIMITS.bytesMax);
    }
    if (count <= 256) expect(parts.length).toBe(1);
  });

  test('what does not fit at all is refused', () => {
    expect(() => splitIntoDrafts(draft(1, 'x'.repeat(DECISION_LIMITS.bytesMax)))).toThrow(/too large/);
  });
});

describe('the programs above', () => {
  const chain = (depth: number) => (pid: number) =>
    Promise.resolve(`Name:\tp${pid}\nPPid:\t${pid >= depth ? 0 : pid + 1}\n`);

  test('are named nearest first, eight at most', async () => {
    expect(await programsAbove(1, chain(3))).toEqual(['p1', 'p2', 'p3']);
    expect(await programsAbove(1, chain(50))).toHaveLength(8);
  });

  test('end where the system says nothing', async () => {
    expect(await programsAbove(5, () => Promise.reject(new Error('ENOENT')))).toEqual([]);
    if (process.platform === 'linux') expect((await programsAbove(process.pid)).length).toBeGreaterThan(0);
  });
});

describe('on the way to a receipt', () => {
  const now = { entry: 1, refused: null, atMs: 0, results: [] };

  async function device() {
    const folder = await openStateFolder(join(await tempDir(), 'state'));
    const opened = await CliDevice.open(folder);
    onTestFinished(() => opened.close());
    const home = nodeSigner(await secretFile(folder.homeKey, nodeRandom));
    const workspace = workspaceId(bytes(1));
    const item = { id: actionId(bytes(1)), digest };
    const save = () => opened.save({ workspace, kind: 'hold', items: [item], heartbeat: null });
    const receiptFor = (signed: SignedText, change: Partial<Receipt> = {}, signer: Signer = home): SignedText => {
      const { n } = read(signed);
      const decision = decisionHash(nodeCrypto.sha256, signed.payload);
      return signReceipt(signer, {
        v: 1,
        home: opened.home,
        workspace,
        device: opened.id,
        n,
        decision,
        ...now,
        ...change,
      });
    };
    return { opened, workspace, save, receiptFor };
  }

  test("[DC-6] keeps the home's receipt, and does not send again", async () => {
    const { opened, receiptFor, save, workspace } = await device();
    const entries = await save();
    const sent: number[] = [];
    const submit: Submit = async ({ decisions }) => {
      sent.push(decisions.length);
      return { receipts: decisions.map((signed) => receiptFor(signed)) };
    };
    await opened.deliver(workspace, submit);
    await opened.deliver(workspace, submit);
    expect(sent).toEqual([1]);
    expect(opened.deliveredOf(entries).map(({ receipt }) => receipt.n)).toEqual([1]);
  });

  test.each<[string, (signed: SignedText, make: Awaited<ReturnType<typeof device>>['receiptFor']) => SignedText]>([
    ['signed by another key', (signed, make) => make(signed, {}, nodeSigner(new Uint8Array(32).fill(7)))],
    ['about another text', (signed, make) => make(signed, { decision: digest })],
    ['for another device', (signed, make) => make(signed, { device: deviceId(bytes(9)) })],
    ['for a number that was not sent', (signed, make) => make(signed, { n: 99 })],
  ])('[DC-6] a receipt %s is none', async (_, forge) => {
    const { opened, receiptFor, save, workspace } = await device();
    const entries = await save();
    const submit: Submit = async ({ decisions }) => ({
      receipts: decisions.map((signed) => forge(signed, receiptFor)),
    });
    await expect(opened.deliver(workspace, submit)).rejects.toMatchObject({ code: 'denied' });
    expect(opened.deliveredOf(entries)).toEqual([]);
    expect(opened.waitingWorkspaces()).toEqual([workspace]);
  });

  test('[DC-6] one that is turned away does not keep back the others, and is sent again', async () => {
    const { opened, receiptFor, save, workspace } = await device();
    for (let made = 0; made < 3; made++) await save();
    const submit: Submit = async ({ decisions }) => {
      if (decisions.some((signed) => read(signed).n === 2)) throw new CountersignError('denied', 'not this one');
      return { receipts: decisions.map((signed) => receiptFor(signed)) };
    };
    expect(await opened.deliver(workspace, submit)).toEqual(new Map([[2, 'not this one']]));
    expect(await opened.deliver(workspace, submit)).toEqual(new Map([[2, 'not this one']]));
    expect(opened.waitingWorkspaces()).toEqual([workspace]);
  });
});
