/* global VERSION, FILES, self, caches, location, fetch, URL, Request */

/*
 * Keeps the page usable without its server. All files of one build are stored together or not at
 * all. While the server answers, the page is exactly what the server has: only hashed assets, which
 * never change, come from the store first.
 */

const STORE = `forage-${VERSION}`;
const PAGE = '/';

self.addEventListener('install', (event) => {
  const requests = FILES.map((file) => new Request(file, { cache: 'no-cache' }));
  event.waitUntil(caches.open(STORE).then((store) => store.addAll(requests)));
});

// A tab of an older build keeps its worker, and thereby its files, until it is closed.
self.addEventListener('activate', (event) => {
  const old = (name) => name.startsWith('forage-') && name !== STORE;
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(names.filter(old).map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  );
});

const stored = async (request) => (await caches.open(STORE)).match(request, { ignoreSearch: true });

async function fromServer(request) {
  try {
    return await fetch(request);
  } catch (error) {
    // Every route of the page is the page.
    const kept = await stored(request.mode === 'navigate' ? PAGE : request);
    if (kept) return kept;
    throw error;
  }
}

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== 'GET' || url.origin !== location.origin) return;
  const asset = url.pathname.startsWith('/assets/');
  event.respondWith(
    asset ? stored(request).then((kept) => kept ?? fetch(request)) : fromServer(request),
  );
});
