import { rmSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { buildPage } from '../../scripts/lib/build-panel.mjs';
import { builtPanel } from './built-panel.ts';
import { whenProcessEnds } from './process-end.ts';

/** The strictest policy a home may serve the panel under. */
const STRICT_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self' ws: http:",
  "worker-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
};

export interface Site {
  readonly origin: string;
  /** Answers this text under this path instead of a file. */
  serve(path: string, text: string): void;
  close(): Promise<void>;
}

/** Serves a folder on loopback as a home would. */
async function serveFolder(dir: string): Promise<Site> {
  const texts = new Map<string, string>();
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    const name = path === '/' ? '/index.html' : path;
    const headers = {
      'content-security-policy': STRICT_POLICY,
      'x-content-type-options': 'nosniff',
      'content-type': TYPES[extname(name)] ?? 'application/octet-stream',
    };
    const text = texts.get(name);
    const body = text === undefined ? readFile(join(dir, name)) : Promise.resolve(text);
    body.then(
      (found) => response.writeHead(200, headers).end(found),
      () => response.writeHead(404, headers).end('There is nothing here.'),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // reason: a server that listens on TCP has such an address
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://localhost:${port}`,
    serve: (path, text) => void texts.set(path, text),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

let fixture: Promise<string> | undefined;

/** Serves the panel over the fixture, which is built once for all files of a process. */
export async function servePanelFixture(): Promise<Site> {
  fixture ??= builtFixture();
  return serveFolder(await fixture);
}

async function builtFixture(): Promise<string> {
  const outDir = await mkdtemp(join(tmpdir(), 'countersign-panel-'));
  whenProcessEnds(() => rmSync(outDir, { recursive: true, force: true }));
  await buildPage({ root: join(import.meta.dirname, 'panel-page'), outDir });
  return outDir;
}

/** Serves the panel itself, as it is built, without a home behind it. */
export async function serveBuiltPanel(): Promise<Site> {
  const outDir = await mkdtemp(join(tmpdir(), 'countersign-panel-'));
  await builtPanel(outDir);
  return servedOnce(outDir);
}

/** The folder goes when the site is closed. */
async function servedOnce(outDir: string): Promise<Site> {
  const site = await serveFolder(outDir);
  const close = async (): Promise<void> => {
    await site.close();
    await rm(outDir, { recursive: true, force: true });
  };
  return { ...site, close };
}
