import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SECURITY_HEADERS } from './headers.mjs';
import { NOTICES } from './notices.mjs';
import { isAdapter } from './adapters.mjs';
import { HOST_FILES } from './static-host.mjs';

/** Adapters are fetched on click. Compressed copies and files for a host are the server's business; the worker does not store itself. */
const leftOut = (/** @type {string} */ path) =>
  /\.(br|gz)$/.test(path) ||
  isAdapter(path) ||
  path === 'sw.js' ||
  path === NOTICES ||
  HOST_FILES.includes(path);

/**
 * Writes `sw.js` into a built page: the service worker of `service-worker.js` with the list of the
 * build's files and the headers of the page, under a version that changes when any of them does.
 *
 * @param {string} root folder of the built page
 * @returns {Promise<{ files: number, bytes: number }>}
 */
export async function writeServiceWorker(root) {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .filter((path) => !leftOut(path))
    .sort();
  const hash = createHash('sha256');
  let bytes = 0;
  for (const path of paths) {
    const content = await readFile(join(root, path));
    hash.update(path).update(content);
    bytes += content.length;
  }
  // Relative to the worker; the page itself is asked for by its folder, as visitors do.
  const urls = paths.map((path) => (path === 'index.html' ? './' : path.split(sep).join('/')));
  const source = await readFile(
    fileURLToPath(new URL('service-worker.js', import.meta.url)),
    'utf8',
  );
  const version = JSON.stringify(hash.digest('hex').slice(0, 16));
  const head = [
    `const VERSION = ${version};`,
    `const FILES = ${JSON.stringify(urls)};`,
    `const HEADERS = ${JSON.stringify(SECURITY_HEADERS)};`,
  ];
  await writeFile(join(root, 'sw.js'), [...head, source].join('\n'));
  return { files: urls.length, bytes };
}
