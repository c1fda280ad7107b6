import { engineKind, ENGINES } from './kinds/list.ts';
import type { EngineKind } from './kinds/engine.ts';

/** What people paste is often the front page: the address of the call is found from it. */

/**
 * The address of the call from what was typed: `de.wikipedia.org` → `https://de.wikipedia.org/w/api.php`,
 * `localhost:8000` for Search-R1 → `http://localhost:8000/retrieve`.
 * @returns null where it is not an address
 * @throws Error for a kind that is not in the list
 */
export function completeAddress(
  kind: string,
  typed: string,
  engines: readonly EngineKind[] = ENGINES,
): string | null {
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
  const { path } = engineKind(kind, engines);
  if (typeof path === 'function') {
    url.pathname = path(url);
    url.search = '';
  } else if (url.pathname === '/' || engines.some((other) => other.path === url.pathname)) {
    // The call of another of these servers is left over from before the kind was changed.
    url.pathname = path;
  }
  return url.href;
}
