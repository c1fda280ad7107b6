/* global VERSION, FILES, HEADERS, self, caches, location, fetch, URL, Request, Response, Headers */

/*
 * Keeps the page usable without its server. All files of one build are stored together or not at
 * all. While the server answers, the page is exactly what the server has: only hashed assets, which
 * never change, come from the store first. The page may lie below any path, and beside others of its
 * kind: stores of one origin tell by their names whose they are.
 *
 * Where the host sends no headers of the page's, they are added to what it sends: so the page and its
 * workers are isolated and have their content security policy. A page that finds itself without starts
 * this file as `sw.js?isolate`, which stores nothing and is there at once; `sw.js` then takes its place.
 */

/** Path of the folder that this file lies in, with a slash at both ends. */
const ROOT = new URL('./', location.href).pathname;
const OWN = ROOT === '/' ? 'forage-' : `forage ${ROOT} `;
const STORE = OWN + VERSION;

const isEarly = (url) => new URL(url).search === '?isolate';
const EARLY = isEarly(location.href);

async function storeAll() {
  const requests = FILES.map((file) => new Request(file, { cache: 'no-cache' }));
  await (await caches.open(STORE)).addAll(requests);
  const { active } = self.registration;
  if (active && isEarly(active.scriptURL)) await self.skipWaiting();
}

self.addEventListener('install', (event) => {
  event.waitUntil(EARLY ? self.skipWaiting() : storeAll());
});

// A tab of an older build keeps its worker, and thereby its files, until it is closed.
self.addEventListener('activate', (event) => {
  const old = (name) => !EARLY && name.startsWith(OWN) && name !== STORE;
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(names.filter(old).map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  );
});

const stored = async (request) => (await caches.open(STORE)).match(request, { ignoreSearch: true });

/** Every route of the page is the page, with its links from the root: they are relative to it. */
async function pageAnywhere() {
  const page = (await stored(ROOT)) ?? (await fetch(ROOT).catch(() => undefined));
  if (!page?.ok) return undefined;
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
    return (lost && (await pageAnywhere())) || answer;
  } catch (error) {
    const kept = await (request.mode === 'navigate' ? pageAnywhere() : stored(request));
    if (kept) return kept;
    throw error;
  }
}

/** The answer with the headers of the page that its host did not send. */
function withHeaders(answer) {
  const missing = Object.entries(HEADERS).filter(([name]) => !answer.headers.has(name));
  // Of a redirect nothing can be read; these three have no body to give on.
  const bare = answer.status === 0 || [204, 205, 304].includes(answer.status);
  if (bare || missing.length === 0) return answer;
  const headers = new Headers(answer.headers);
  for (const [name, value] of missing) headers.set(name, value);
  const { status, statusText } = answer;
  return new Response(answer.body, { status, statusText, headers });
}

const answerTo = async (request) => {
  const asset = new URL(request.url).pathname.startsWith(`${ROOT}assets/`);
  if (!asset) return fromServer(request);
  return (await stored(request)) ?? fetch(request);
};

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== 'GET' || url.origin !== location.origin) return;
  event.respondWith(answerTo(request).then(withHeaders));
});
