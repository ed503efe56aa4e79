// Saves one decision in the outbox that is named, and prints the number it got.
import { canonicalBytes } from '../../src/base/canonical-json.ts';
import { Outbox } from '../../src/cli/device/outbox.ts';
import { nodeCrypto } from '../../src/crypto/node.ts';
import { deviceId, homeId, workspaceId } from '../../src/model/ids.ts';
import { decisionHash } from '../../src/trust/decision.ts';

const zeros = new Uint8Array(16);
const outbox = await Outbox.open(process.argv[2] ?? '');
const draft = {
  v: 1,
  home: homeId(zeros),
  workspace: workspaceId(zeros),
  device: deviceId(zeros),
  kind: 'approve',
  items: [],
  holdsLifted: [],
  seen: null,
} as const;
const [entry] = outbox.save([draft], 'batch', (decision) => {
  const payload = new TextDecoder().decode(canonicalBytes(decision));
  return { payload, signature: '', hash: decisionHash(nodeCrypto.sha256, payload) };
});
outbox.close();
process.stdout.write(String(entry?.n));
