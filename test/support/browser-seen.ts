import type { BrowserContext, Page } from 'playwright-core';

/** What went wrong or went out in a browser since it was opened. Lists grow while the pages run. */
export interface Seen {
  /** Directive and what it blocked, of each violation of the Content Security Policy. */
  readonly violations: readonly string[];
  /** Errors on the console, and those nothing caught. */
  readonly errors: readonly string[];
  /** Everything the console was told. */
  readonly said: readonly string[];
  /** Every address asked for or connected to, pages, workers and sockets alike, in order. */
  readonly addresses: readonly string[];
  /** Those addresses that are not of one of these origins. `data:`, `blob:` and `about:` leave nothing and are left out. */
  foreign(...origins: readonly string[]): readonly string[];
}

const LOCAL = new Set(['data:', 'blob:', 'about:', 'chrome-error:']);

/** Call it before the first page loads: nothing that came earlier is seen. */
export async function watch(context: BrowserContext): Promise<Seen> {
  const violations: string[] = [];
  const errors: string[] = [];
  const said: string[] = [];
  const addresses: string[] = [];
  await context.exposeBinding('__violated', (_source, what: string) => void violations.push(what));
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, sample }) => {
      // reason: the binding above
      const { __violated } = window as unknown as { readonly __violated: (what: string) => void };
      __violated(`${effectiveDirective}: ${blockedURI} ${sample}`.trim());
    });
  });
  context.on('console', (message) => {
    said.push(message.text());
    // Chromium says that something could not be loaded, and leaves to the place what it was.
    if (message.type() === 'error') errors.push(`${message.text()} (${message.location().url})`);
  });
  context.on('weberror', (thrown) => errors.push(String(thrown.error())));
  context.on('request', (request) => addresses.push(request.url()));
  const listen = (page: Page): void => void page.on('websocket', (socket) => addresses.push(socket.url()));
  for (const page of context.pages()) listen(page);
  context.on('page', listen);
  return {
    violations,
    errors,
    said,
    addresses,
    foreign: (...origins) => addresses.filter((address) => isForeign(address, origins)),
  };
}

function isForeign(address: string, origins: readonly string[]): boolean {
  const url = new URL(address);
  return !LOCAL.has(url.protocol) && !origins.includes(url.origin);
}
