/**
 * The folder that the page lies in: on its own at the root of a server, or below a path such as
 * `/tools/forage/`. Addresses inside the page (`/train`, `/rollouts/…`) are relative to it.
 */

// A variable, since the build takes the two together for the name of a file.
const here: string = import.meta.url;

/** Scripts lie one folder below a page that was built for any path; else the path was given. */
const root = new URL(import.meta.env.BASE_URL, new URL('../', here));

/** Path of that folder without its last slash; empty for the server's root. */
export const BASE: string = root.pathname.replace(/\/$/, '');

/** The address of a file that lies beside the page. */
export const fileUrl = (path: string): string => new URL(path, root).href;

/** An address inside the page as links have it. */
export const hrefOf = (path: string): string => `${BASE}${path}`;

/** The address inside the page that the address bar shows, still encoded, without its query. */
export const pagePath = (): string => {
  const { pathname } = globalThis.location;
  return pathname.startsWith(`${BASE}/`) ? pathname.slice(BASE.length) : pathname;
};
