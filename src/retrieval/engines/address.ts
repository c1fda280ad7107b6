import type { EngineSpec } from './open.ts';

/** What people paste is often the front page: the address of the call is found from it. */

const CALLS: Record<Exclude<EngineSpec['kind'], 'mediawiki' | 'searxng'>, string> = {
  'search-r1': '/retrieve',
  'r1-searcher': '/queries',
  research: '/batch_search',
};

const WIKIMEDIA =
  /\.(?:wikipedia|wiktionary|wikimedia|wikidata|wikisource|wikinews|wikivoyage)\.org$/;

function wikiPath({ hostname, pathname }: URL): string {
  if (pathname.endsWith('/api.php')) return pathname;
  // Wikimedia serves articles below /wiki/ and the API below /w/; the installer's default is one folder.
  if (WIKIMEDIA.test(hostname)) return '/w/api.php';
  const script = pathname.indexOf('/index.php');
  const folder = script < 0 ? pathname.replace(/\/wiki(?:\/.*)?$/u, '') : pathname.slice(0, script);
  return `${folder.replace(/\/+$/u, '')}/api.php`;
}

/**
 * The address of the call from what was typed: `de.wikipedia.org` → `https://de.wikipedia.org/w/api.php`,
 * `localhost:8000` for Search-R1 → `http://localhost:8000/retrieve`.
 * @returns null where it is no address
 */
export function completeAddress(kind: EngineSpec['kind'], typed: string): string | null {
  const text = typed.trim();
  if (text === '' || /\s/u.test(text)) return null;
  const local = /^(?:localhost|127\.|\[::1\]|0\.0\.0\.0|10\.|192\.168\.)/iu.test(text);
  const whole = /^[a-z][a-z0-9+.-]*:\/\//iu.test(text)
    ? text
    : `${local ? 'http' : 'https'}://${text}`;
  if (!URL.canParse(whole)) return null;
  const url = new URL(whole);
  if (!/^https?:$/u.test(url.protocol) || url.username !== '' || url.password !== '') return null;
  url.hash = '';
  if (kind === 'mediawiki') {
    url.pathname = wikiPath(url);
    url.search = '';
  } else if (kind === 'searxng') {
    url.pathname = url.pathname.replace(/\/(?:search)?\/*$/u, '') || '/';
    url.search = '';
  } else if (url.pathname === '/' || Object.values(CALLS).includes(url.pathname)) {
    // The call of another of these servers is left over from before the kind was changed.
    url.pathname = CALLS[kind];
  }
  return url.href;
}
