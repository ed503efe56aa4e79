import { fork } from 'node:child_process';
import { chmod, lstat, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Clock } from '../../src/base/clock.ts';
import { systemClock } from '../../src/cli/home/system.ts';
import { connectSocket } from '../../src/cli/sockets/connect.ts';
import { listenSocket } from '../../src/cli/sockets/listen.ts';
import { SOCKET_LIMITS } from '../../src/cli/sockets/limits.ts';
import { findSocketFolder, makeSocketFolder, socketPath } from '../../src/cli/sockets/socket-folder.ts';
import { agentDoorClient } from '../../src/door/client.ts';
import type { Link } from '../../src/door/link.ts';
import { serveAgentDoor } from '../../src/door/serve.ts';
import { fakeAgentPort, id } from '../support/fake-agent-port.ts';
import { HELLO } from '../support/hello.ts';
import { tempDir } from '../support/temp-dir.ts';

const clock = systemClock;
const onError = (thrown: unknown): void => {
  throw thrown;
};

async function listening(onLink: (link: Link) => void) {
  const folder = await makeSocketFolder(join(await tempDir(), 'doors'), []);
  const path = socketPath(folder, 'agent');
  const server = await listenSocket({ path, clock, onLink, onError });
  onTestFinished(() => server.close());
  return { folder, path, server };
}

const serveFake = (fake = fakeAgentPort()) => ({
  fake,
  onLink: (link: Link) => serveAgentDoor({ link, onBug: onError, open: async () => ({ session: 's-1', port: fake }) }),
});

test('an agent port works over a socket that only its owner can reach', async () => {
  const { onLink } = serveFake();
  const { folder, path } = await listening(onLink);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  const port = await agentDoorClient(await connectSocket({ path, clock }), HELLO);
  const big = 'ü'.repeat(3_000_000);
  const answer = await port.call({ tool: 'write_file', arguments: { path: 'a', content: big }, callId: null });
  expect(answer).toMatchObject({ type: 'simulated', result: { content: [{ type: 'text', text: big }] } });
  await port.close();
});

test('nobody there is said at once: no file, a file whose process died, and the latter is replaced', async () => {
  const folder = await makeSocketFolder(join(await tempDir(), 'doors'), []);
  const path = socketPath(folder, 'agent');
  await expect(connectSocket({ path, clock })).rejects.toMatchObject({ code: 'closed' });
  await leaveStaleSocket(path);
  expect((await lstat(path)).isSocket()).toBe(true);
  await expect(connectSocket({ path, clock })).rejects.toMatchObject({ code: 'closed' });
  const server = await listenSocket({ path, clock, onLink: (link) => link.close(), onError });
  await server.close();
  await expect(lstat(path)).rejects.toMatchObject({ code: 'ENOENT' });
});

test('a socket that somebody answers on is theirs', async () => {
  const { path } = await listening(serveFake().onLink);
  await expect(listenSocket({ path, clock, onLink: () => {}, onError })).rejects.toMatchObject({
    code: 'held-elsewhere',
  });
  const port = await agentDoorClient(await connectSocket({ path, clock }), HELLO);
  expect(await port.tools()).toHaveLength(2);
});

test('what is in the way and is no socket stays', async () => {
  const folder = await makeSocketFolder(join(await tempDir(), 'doors'), []);
  const path = socketPath(folder, 'agent');
  await writeFile(path, 'precious');
  await expect(listenSocket({ path, clock, onLink: () => {}, onError })).rejects.toMatchObject({ code: 'denied' });
  expect(await readFile(path, 'utf8')).toBe('precious');
});

test('a long state path gets short sockets, and a client finds them without the home’s environment', async () => {
  const short = await tempDir('cs');
  const doors = join(await tempDir(), 'n'.repeat(90), 'doors');
  const folder = await makeSocketFolder(doors, [join(short, 'r'.repeat(90)), short]);
  expect(folder.startsWith(`${short}/countersign-`)).toBe(true);
  expect(Buffer.byteLength(socketPath(folder, 'agent'))).toBeLessThanOrEqual(SOCKET_LIMITS.pathBytesMax);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  expect(await findSocketFolder(doors)).toBe(folder);
  expect(await findSocketFolder(join(short, 'nothing'))).toBeUndefined();
});

test('a path that a system would cut is refused before anything listens', async () => {
  expect(() => socketPath(`/${'x'.repeat(100)}`, 'agent')).toThrow(/100 bytes at most/);
  const doors = join(await tempDir(), 'n'.repeat(90), 'doors');
  await expect(makeSocketFolder(doors, [])).rejects.toMatchObject({ code: 'bad-input' });
});

test.each(['open to others', 'a symbolic link', 'a file'])('a runtime folder that is %s is not used', async (what) => {
  const short = await tempDir('cs');
  const doors = join(await tempDir(), 'n'.repeat(90), 'doors');
  const folder = await makeSocketFolder(doors, [short]);
  const trap = join(await tempDir('cs'), folder.split('/').at(-1)!);
  const parent = join(trap, '..');
  if (what === 'open to others') {
    await mkdir(trap);
    await chmod(trap, 0o755);
  } else if (what === 'a symbolic link') await symlink(short, trap);
  else await writeFile(trap, '');
  await expect(makeSocketFolder(doors, [parent])).rejects.toMatchObject({ code: 'denied' });
  expect(await findSocketFolder(doors)).toBe(folder);
});

test('a client that gets no answer to its connection gives up in time', async () => {
  let expire = (): void => undefined;
  const stopped: Clock = { ...clock, after: (_ms, run) => ((expire = run), () => undefined) };
  const path = join(await tempDir(), 'full.sock');
  const child = fork('-e', [], { execArgv: ['-e', STOPPED_SERVER, path], stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  await new Promise((resolve) => child.once('message', resolve));
  const fillers = Array.from({ length: 4 }, () => connect(path));
  for (const filler of fillers) filler.on('error', () => filler.destroy());
  onTestFinished(() => fillers.forEach((filler) => filler.destroy()));
  const answer = connectSocket({ path, clock: stopped }).catch((thrown: unknown) => thrown);
  await new Promise((resolve) => setImmediate(resolve));
  expire();
  expect(await answer).toMatchObject({ code: 'busy' });
});

test('a peer that does not read is not read either, so that it cannot fill our memory', async () => {
  const links: Link[] = [];
  const { path } = await listening((link) => links.push(link));
  const raw = await rawConnection(path);
  await expect.poll(() => links).toHaveLength(1);
  const lines: string[] = [];
  let ended = false;
  links[0]!.start({ line: (text) => lines.push(text), fault: onError, end: () => (ended = true) });
  raw.write('one\n');
  await expect.poll(() => lines).toEqual(['one']);
  raw.pause();
  const chunk = 'x'.repeat(1024 * 1024);
  for (let n = 0; n < 8; n += 1) links[0]!.send(chunk);
  raw.write('two\n');
  await quiet();
  expect(lines).toEqual(['one']);
  raw.resume();
  await expect.poll(() => lines).toEqual(['one', 'two']);
  raw.destroy();
  await expect.poll(() => ended).toBe(true);
});

test('a client that cuts its connection in the middle of a line ends its session and nothing else', async () => {
  const { fake, onLink } = serveFake();
  const { path } = await listening(onLink);
  const raw = await rawConnection(path);
  const hello = { id: 1, method: 'hello', params: { protocol: 1, hello: HELLO } };
  raw.write(`${JSON.stringify(hello)}\n{"id":2,"meth`);
  await new Promise((resolve) => raw.once('data', resolve));
  raw.destroy();
  await expect.poll(() => fake.closed).toBe(true);
  const port = await agentDoorClient(await connectSocket({ path, clock }), HELLO);
  expect(await port.tools()).toHaveLength(2);
});

test('bytes that are not text are answered and end the connection', async () => {
  const { path } = await listening(serveFake().onLink);
  const raw = await rawConnection(path);
  let text = '';
  raw.on('data', (bytes) => (text += bytes.toString()));
  raw.write(new Uint8Array([0xff, 0xfe, 0x0a]));
  await new Promise((resolve) => raw.once('close', resolve));
  expect(JSON.parse(text)).toMatchObject({ id: null, error: { code: 'bad-input', message: 'A line is not UTF-8.' } });
});

test('close ends open connections after what was sent, and waits under way say that the home has gone', async () => {
  const { onLink } = serveFake();
  const { path, server } = await listening(onLink);
  const port = await agentDoorClient(await connectSocket({ path, clock }), HELLO);
  const wait = port.wait({ ids: [id(1)], forRoom: false, timeoutMs: 25_000 }).catch((thrown: unknown) => thrown);
  await port.status();
  await server.close();
  expect(await wait).toMatchObject({ code: 'closed', effect: 'none' });
  await expect(connectSocket({ path, clock })).rejects.toMatchObject({ code: 'closed' });
});

/** Listens, fills no queue but one, and stops reading: a home that was suspended. */
const STOPPED_SERVER = `
  const server = require('node:net').createServer();
  server.listen({ path: process.argv[1], backlog: 1 }, () => { process.send('up'); process.kill(process.pid, 'SIGSTOP'); });
`;

/** What a home that was killed leaves behind. */
async function leaveStaleSocket(path: string): Promise<void> {
  const child = fork('-e', [], { execArgv: ['-e', LEAVE_SOCKET, path], stdio: 'ignore' });
  await new Promise((resolve) => child.once('message', resolve));
  child.kill('SIGKILL');
  await new Promise((resolve) => child.once('exit', resolve));
}

const LEAVE_SOCKET = `require('node:net').createServer().listen(process.argv[1], () => process.send('up'));`;

async function rawConnection(path: string): Promise<Socket> {
  const socket = connect(path);
  onTestFinished(() => void socket.destroy());
  await new Promise((resolve) => socket.once('connect', resolve));
  return socket;
}

/** Enough turns of the loop for a line on a local socket to arrive, if it were read. */
async function quiet(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
