import type { Run } from './command.ts';
import { UsageError } from '../args/usage-error.ts';
import { CountersignError } from '../../base/errors.ts';
import { nodeRandom, nodeSigner } from '../../crypto/node.ts';
import { CliDevice } from '../device/cli-device.ts';
import { readRegistry } from '../home/registry.ts';
import { findStateFolder } from '../state/folder.ts';
import { secretFile } from '../state/key-file.ts';
import { around, namedDir, realOr, stateDir } from './home-at.ts';
import { verifyLog, type AuditResult } from './verify-audit.ts';

/** Stable for scripts. */
const EXIT_CODES: Readonly<Record<AuditResult, number>> = { ok: 0, tampered: 10, incomplete: 11, fork: 12 };

/** Checks a workspace's whole log against its hashes, its head log, its checkpoints and what this device has seen. */
export const run: Run = async (invocation) => {
  const { args, io } = invocation;
  if (args.positionals[0] !== 'verify') throw new UsageError('audit knows one thing: countersign audit verify');
  const folder = await findStateFolder(stateDir(invocation));
  const dir = await realOr(namedDir(invocation));
  const records = folder === undefined ? [] : (await readRegistry(folder)).workspaces;
  const record = around(
    records.map((one) => ({ ...one, root: one.path })),
    dir,
  );
  if (folder === undefined || record === undefined) {
    throw new CountersignError('not-found', `No workspace is guarded at ${dir}, so there is no log to check.`);
  }
  const homeKey = nodeSigner(await secretFile(folder.homeKey, nodeRandom)).publicKey;
  const device = await CliDevice.open(folder);
  const json = args.flag('json');
  try {
    const verdict = await verifyLog({
      dir: folder.workspace(record.id),
      home: device.home,
      workspace: record.id,
      homeKey,
      witnessed: device.witnessed(record.id),
      onProgress: (done, total) => {
        if (io.interactive && !json) io.progress(`${done} of ${total} entries checked`);
      },
    });
    if (json)
      io.out(JSON.stringify({ event: 'verified', entries: verdict.entries, result: verdict.result, why: verdict.why }));
    else io.out(`${verdict.entries} entries: ${verdict.result}${verdict.why === null ? '' : `. ${verdict.why}`}`);
    return EXIT_CODES[verdict.result];
  } finally {
    device.close();
  }
};
