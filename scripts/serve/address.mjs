/**
 * Where a page lies on its server. A built page names its files relative to itself (`./assets/…`), so
 * that it works below any path; its permalinks are addresses below it, and need them from further down.
 */

/**
 * @param {string} base as people write it: `forage`, `/some/where/`
 * @returns {string} with a slash at both ends
 */
export const normalBase = (base) => `/${base}/`.replaceAll(/\/{2,}/g, '/');

/** @param {string} path below the page, from its slash on; `/rollouts/a` lies one folder down */
export const upFrom = (path) => '../'.repeat(Math.max(0, path.split('/').length - 2));

/**
 * The page as it is sent to one of its permalinks.
 *
 * @param {string} html
 * @param {string} root what is before `assets/…` there
 */
export const linkedFrom = (html, root) =>
  html.replaceAll(/((?:src|href)=")\.\//g, (_, attribute) => attribute + root);
