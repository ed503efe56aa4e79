/** The parts of a service worker's scope used here: the types at hand are those of a page. */
interface Lasting extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface Fetching extends Event {
  readonly request: Request;
  respondWith(answer: Promise<Response>): void;
}
interface Scope {
  readonly registration: { readonly scope: string };
  readonly clients: { claim(): Promise<void> };
  skipWaiting(): Promise<void>;
  addEventListener(type: 'install' | 'activate', listener: (event: Lasting) => void): void;
  addEventListener(type: 'fetch', listener: (event: Fetching) => void): void;
}

// reason: this program runs as a service worker, whose scope the page's types do not describe
const scope = globalThis as unknown as Scope;

/** The build writes what it made in here: every file of the page, and a name for exactly these bytes. */
// reason: the build writes this very shape
const { files, version } = JSON.parse('__OFFLINE_LIST__') as {
  readonly version: string;
  readonly files: readonly string[];
};

const PREFIX = 'countersign-panel-';
const CACHE = PREFIX + version;
const root = new URL(scope.registration.scope);
const own = new Set(files.map((name) => new URL(name, root).href));
const page = new URL('index.html', root).href;

/** All of it or nothing: half a page would be worse offline than none. */
scope.addEventListener('install', (event) => {
  const keep = async (): Promise<void> => {
    const cache = await caches.open(CACHE);
    await cache.addAll([...own].map((url) => new Request(url, { cache: 'reload' })));
    await scope.skipWaiting();
  };
  event.waitUntil(keep());
});

scope.addEventListener('activate', (event) => {
  const clean = async (): Promise<void> => {
    const names = await caches.keys();
    const old = names.filter((name) => name.startsWith(PREFIX) && name !== CACHE);
    await Promise.all(old.map((name) => caches.delete(name)));
    await scope.clients.claim();
  };
  event.waitUntil(clean());
});

/**
 * Only the page's own files are ever answered from here. What the home or a relay says is asked of them, every time.
 */
scope.addEventListener('fetch', (event) => {
  const { method, mode, url } = event.request;
  if (method !== 'GET') return;
  const bare = new URL(url);
  bare.search = '';
  bare.hash = '';
  if (mode === 'navigate' && (bare.href === root.href || bare.href === page))
    return event.respondWith(pageOf(event.request));
  if (own.has(bare.href)) event.respondWith(fileOf(bare.href, event.request));
});

/** The home's own page while it answers, so that a new version is seen at once; else the one that was kept. */
async function pageOf(request: Request): Promise<Response> {
  try {
    const answer = await fetch(request);
    if (answer.ok) return answer;
  } catch {
    // `fetch` rejects when there is no network, which is what the kept page is for.
  }
  return (await caches.match(page, { cacheName: CACHE })) ?? Response.error();
}

async function fileOf(url: string, request: Request): Promise<Response> {
  return (await caches.match(url, { cacheName: CACHE })) ?? fetch(request);
}
