/* global VERSION, FILES, self, caches, location, fetch, URL, Request, Response, Headers */

/*
 * Keeps the page usable without its server. All files of one build are stored together or not at
 * all. While the server answers, the page is exactly what the server has: only hashed assets, which
 * never change, come from the store first. The page may lie below any path, and beside others of its
 * kind: stores of one origin tell by their names whose they are.
 */

/** Path of the folder that this file lies in, with a slash at both ends. */
const ROOT = new URL('./', location.href).pathname;
const OWN = ROOT === '/' ? 'forage-' : `forage ${ROOT} `;
const STORE = OWN + VERSION;

self.addEventListener('install', (event) => {
  const requests = FILES.map((file) => new Request(file, { cache: 'no-cache' }));
  event.waitUntil(caches.open(STORE).then((store) => store.addAll(requests)));
});

// A tab of an older build keeps its worker, and thereby its files, until it is closed.
self.addEventListener('activate', (event) => {
  const old = (name) => name.startsWith(OWN) && name !== STORE;
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(names.filter(old).map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  );
});

const stored = async (request) => (await caches.open(STORE)).match(request, { ignoreSearch: true });

/** Every route of the page is the page, with its links from the root: they are relative to it. */
async function storedPage() {
  const page = await stored(ROOT);
  if (!page) return undefined;
  const html = (await page.text()).replaceAll(/((?:src|href)=")\.\//g, (_, start) => start + ROOT);
  const headers = new Headers(page.headers);
  for (const name of ['Content-Encoding', 'Content-Length']) headers.delete(name);
  return new Response(html, { headers });
}

/** A host that knows files only has none at a permalink. */
const isPermalink = ({ mode, url }) =>
  mode === 'navigate' && !/\.[\w-]+$/.test(new URL(url).pathname);

async function fromServer(request) {
  try {
    const answer = await fetch(request);
    const lost = answer.status === 404 && isPermalink(request);
    return (lost && (await storedPage())) || answer;
  } catch (error) {
    const kept = await (request.mode === 'navigate' ? storedPage() : stored(request));
    if (kept) return kept;
    throw error;
  }
}

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== 'GET' || url.origin !== location.origin) return;
  const asset = url.pathname.startsWith(`${ROOT}assets/`);
  event.respondWith(
    asset ? stored(request).then((kept) => kept ?? fetch(request)) : fromServer(request),
  );
});
