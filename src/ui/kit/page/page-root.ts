/**
 * The base path of the page: the root of a server, or a path such as `/tools/forage/`. Addresses
 * inside the page (`/train`, `/rollouts/…`) are relative to it.
 */

// A variable, because the build would treat the expression as a file name.
const here: string = import.meta.url;

/** Scripts are one folder below a page built for any path; otherwise the path was given. */
const root = new URL(import.meta.env.BASE_URL, new URL('../', here));

/** The base path without its trailing slash; empty at the server's root. */
export const BASE: string = root.pathname.replace(/\/$/, '');

/** The address of a file next to the page. */
export const fileUrl = (path: string): string => new URL(path, root).href;

/** A link to an address inside the page. */
export const hrefOf = (path: string): string => `${BASE}${path}`;

/** The current address inside the page, still encoded, without its query. */
export const pagePath = (): string => {
  const { pathname } = globalThis.location;
  return pathname.startsWith(`${BASE}/`) ? pathname.slice(BASE.length) : pathname;
};
