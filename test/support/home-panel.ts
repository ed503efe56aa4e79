import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { toHex } from '../../src/base/bytes.ts';
import { nodeCrypto, nodeRandom, nodeSigner } from '../../src/crypto/node.ts';
import type { Signer } from '../../src/crypto/ports.ts';
import type { Enrolled } from '../../src/cli/http/enrol.ts';
import { rawHttp, type RawAnswer, type RawRequest } from './raw-http.ts';

/** Puts files where the build would put the panel's. */
export async function plantPanel(dir: string): Promise<void> {
  await mkdir(join(dir, 'assets'), { recursive: true });
  await writeFile(join(dir, 'index.html'), '<!doctype html><title>panel</title>');
  await writeFile(join(dir, 'worker.js'), 'self.onfetch = null;');
  await writeFile(join(dir, 'assets', 'app-4f3a.js'), 'export {};');
  await writeFile(join(dir, 'assets', 'notes.txt'), 'no type of ours');
}

/** A browser's keys, before it is a device. */
export interface Keys {
  readonly signer: Signer;
  readonly boxSecret: Uint8Array;
  readonly boxKey: string;
}

export function newKeys(): Keys {
  const boxSecret = nodeRandom.bytes(32);
  const signer = nodeSigner(nodeRandom.bytes(32));
  return { signer, boxSecret, boxKey: toHex(nodeCrypto.agreement(boxSecret).publicKey) };
}

export type HeaderChanges = Readonly<Record<string, string | readonly string[] | null>>;

/** A request to enrol as the panel sends it, with changes: `null` leaves a header out, a list sends it more than once. */
export function enrolRequest(port: number, body: unknown, changes: HeaderChanges = {}): RawRequest {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const all: HeaderChanges = {
    host: `localhost:${port}`,
    origin: `http://localhost:${port}`,
    'content-type': 'application/json',
    'x-countersign': '1',
    'content-length': String(Buffer.byteLength(text)),
    ...changes,
  };
  return { method: 'POST', target: '/panel/enrol', headers: headerList(all), body: text };
}

export function headerList(all: HeaderChanges): readonly (readonly [string, string])[] {
  return Object.entries(all).flatMap(([name, value]) =>
    (value === null ? [] : [value].flat()).map((one) => [name, one] as const),
  );
}

export function enrolBody(link: string, keys: Keys, nickname = 'laptop'): Record<string, string> {
  const secret = link.slice(link.indexOf('#b=') + 3);
  return { secret, publicKey: toHex(keys.signer.publicKey), boxKey: keys.boxKey, nickname };
}

/** Uses a link as the panel does. Throws what the home says when it does not take it. */
export async function enrolWith(link: string, keys: Keys, nickname?: string): Promise<Enrolled> {
  const port = Number(new URL(link).port);
  const answer = await rawHttp('127.0.0.1', port, enrolRequest(port, enrolBody(link, keys, nickname)));
  if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.body.trim()}`);
  // reason: the home's own answer; the test looks at every member
  return JSON.parse(answer.body) as Enrolled;
}

export function getFrom(port: number, target: string, changes: HeaderChanges = {}): Promise<RawAnswer> {
  const headers = headerList({ host: `localhost:${port}`, ...changes });
  return rawHttp('127.0.0.1', port, { method: 'GET', target, headers, body: '' });
}
