import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { extname, join, resolve } from 'node:path';
import { codeOf } from '../state/node-errors.ts';

/** Where the build puts the panel: `dist/panel`. The built command line lies in `dist/src/cli`, whole in one folder. */
export function builtPanelDir(): string {
  const here = import.meta.dirname;
  return import.meta.url.endsWith('.js')
    ? resolve(here, '..', '..', 'panel')
    : resolve(here, '..', '..', '..', 'dist', 'panel');
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
};

/** A plain name, or one in `assets`: no name that could lead anywhere else is looked up. */
const NAME = /^\/(?:assets\/)?[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}$/;
/** Names that change with their content. */
const HASHED = /^\/assets\//;

/** What the panel's page may do. `connect` lists the origins it may talk to besides its own. */
export function panelHeaders(connect: readonly string[]): Readonly<Record<string, string>> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' blob:",
    "font-src 'self'",
    "manifest-src 'self'",
    "worker-src 'self'",
    `connect-src ${["'self'", ...connect].join(' ')}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    // Only the page's own policy makes addresses of programs, and it knows them all.
    "require-trusted-types-for 'script'",
    'trusted-types countersign',
  ];
  return {
    'content-security-policy': policy.join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  };
}

/** Answers a GET or HEAD for a file of the panel. */
export async function answerPanelFile(
  asked: { readonly path: string; readonly method: 'GET' | 'HEAD'; readonly response: ServerResponse },
  panel: { readonly dir: string; readonly headers: Readonly<Record<string, string>> },
): Promise<void> {
  const { method, path, response } = asked;
  const name = path === '/' ? '/index.html' : path;
  const file = await readPanelFile(panel.dir, name);
  if (file !== undefined) {
    const cache = HASHED.test(name) ? 'public, max-age=31536000, immutable' : 'no-cache';
    return send({ response, method, headers: panel.headers }, 200, { ...file, cache });
  }
  const page = name === '/index.html';
  const body = Buffer.from(page ? MISSING : 'There is nothing here.\n');
  const type = page ? TYPES['.html'] : 'text/plain; charset=utf-8';
  send({ response, method, headers: panel.headers }, page ? 503 : 404, { body, type: type ?? '', cache: 'no-store' });
}

/** For who runs from the sources: the panel is built once, by the command that builds all the rest. */
const MISSING = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Countersign</title></head>
<body><h1>The panel is not built yet</h1>
<p>Run <code>npm run build</code> in the folder of Countersign, then load this page again.</p></body></html>
`;

interface PanelFile {
  readonly body: Buffer;
  readonly type: string;
}

async function readPanelFile(dir: string, name: string): Promise<PanelFile | undefined> {
  const type = TYPES[extname(name)];
  if (type === undefined || !NAME.test(name)) return undefined;
  try {
    return { body: await readFile(join(dir, name)), type };
  } catch (error) {
    // Whatever the file system says against it: for who asks it is not there, and the home goes on.
    if (codeOf(error) !== undefined) return undefined;
    throw error;
  }
}

function send(
  to: {
    readonly response: ServerResponse;
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
  },
  status: number,
  { body, cache, type }: PanelFile & { readonly cache: string },
): void {
  to.response.writeHead(status, {
    ...to.headers,
    'content-type': type,
    'content-length': body.length,
    'cache-control': cache,
  });
  to.response.end(to.method === 'HEAD' ? undefined : body);
}
