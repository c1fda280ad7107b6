import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import sirv from 'sirv';
import { brotliOnlyOf, sendUnpacked } from './brotli-only.mjs';
import { linkedFrom, normalBase, upFrom } from './address.mjs';
import { SECURITY_HEADERS } from './headers.mjs';

const EXTENSION = /\.[\w-]+$/;

/** @type {(url: string | undefined) => string} */
const pathOf = (url = '/') => url.replace(/[?#].*/s, '');

/** @type {[name: string, compress: (text: string) => Buffer][]} */
const ENCODINGS = [
  ['br', (text) => brotliCompressSync(text)],
  ['gzip', (text) => gzipSync(text)],
];

/**
 * Sends the page to one of its permalinks, with the links to its files as they are from there.
 *
 * @param {string} root
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 */
async function sendPage(root, request, response) {
  const page = await readFile(join(root, 'index.html'), 'utf8');
  const html = linkedFrom(page, upFrom(pathOf(request.url)) || './');
  const accepted = request.headers['accept-encoding'] ?? '';
  const encoding = ENCODINGS.find(([name]) => accepted.includes(name));
  const body = encoding ? encoding[1](html) : Buffer.from(html);
  if (encoding) response.setHeader('Content-Encoding', encoding[0]);
  response.setHeader('Content-Type', 'text/html;charset=utf-8');
  response.setHeader('Content-Length', body.length);
  response.setHeader('Cache-Control', 'no-cache');
  response.setHeader('Vary', 'Accept-Encoding');
  response.end(request.method === 'HEAD' ? undefined : body);
}

/**
 * sirv reads a range without checking it, and a stream whose end lies before its start throws. Ranges that it would
 * misread (a suffix, several ranges, an end of 0) are dropped: the whole file is a right answer to them.
 *
 * @param {import('node:http').IncomingMessage} request
 * @returns {boolean} whether the range ends before it starts
 */
function checkRange({ headers }) {
  const [, start, end = ''] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '') ?? [];
  if (start === undefined || (end !== '' && Number(end) === 0 && Number(start) === 0))
    delete headers.range;
  return start !== undefined && end !== '' && Number(end) < Number(start);
}

/**
 * Serves a built page, compressed where `precompress` left a copy that the browser understands. Unknown
 * paths without a file extension get index.html, because the page's routes are permalinks; a missing
 * file is a real 404, so that the page can say which one is missing.
 *
 * @param {{ root: string, port?: number, host?: string, base?: string }} options port 0 picks a free
 * one; `base` is the path that the page lies below
 * @returns {Promise<{ url: string, port: number, close: () => Promise<void> }>}
 */
export async function serve({ root, port = 0, host = '127.0.0.1', base = '/' }) {
  const below = normalBase(base);
  const brotliOnly = brotliOnlyOf(root);
  const files = sirv(root, {
    // Looks at the disk each time: a list made once names files that a rebuild removed, and reading one ends the process.
    dev: true,
    etag: true,
    brotli: true,
    gzip: true,
    setHeaders(response, path) {
      // Hashed assets never change; everything else is revalidated, so that a rebuild shows at once.
      const immutable = path.startsWith('/assets/');
      response.setHeader(
        'Cache-Control',
        immutable ? 'public, max-age=31536000, immutable' : 'no-cache',
      );
      // Content-Length is that of the compressed bytes; progress bars need what they unpack to.
      // Paths with an extension never fall back to index.html, so this one was found below root.
      const size = EXTENSION.test(path)
        ? (brotliOnly[path.slice(1)] ?? statSync(join(root, path), { throwIfNoEntry: false })?.size)
        : undefined;
      if (size !== undefined) response.setHeader('X-Decoded-Length', size);
    },
  });
  const answer = (
    /** @type {import('node:http').IncomingMessage} */ request,
    /** @type {import('node:http').ServerResponse} */ response,
  ) => {
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
    const asked = request.url ?? '/';
    const missing = () => {
      response.statusCode = 404;
      response.setHeader('Content-Type', 'text/plain; charset=utf-8');
      response.end(`No such file: ${asked}\n`);
    };
    if (`${pathOf(asked)}/` === below) {
      // Relative links need the slash.
      response.writeHead(308, { Location: below + asked.slice(below.length - 1) }).end();
      return;
    }
    if (!asked.startsWith(below)) return missing();
    request.url = asked.slice(below.length - 1);
    const refused = checkRange(request);
    if (refused) {
      response.writeHead(416, { 'Content-Range': 'bytes */*' }).end();
      return;
    }
    const path = pathOf(request.url).slice(1);
    const size = brotliOnly[path];
    if (size !== undefined && !/\bbr\b/.test(request.headers['accept-encoding'] ?? ''))
      return sendUnpacked(root, path, size, request, response);
    files(request, response, () => {
      if (EXTENSION.test(pathOf(request.url))) return missing();
      sendPage(root, request, response).catch(missing);
    });
  };
  const server = createServer((request, response) => {
    try {
      answer(request, response);
    } catch (error) {
      console.error(`${request.method} ${request.url}:`, error);
      if (!response.headersSent) response.writeHead(500, { 'Content-Type': 'text/plain' });
      response.end('The server failed on this request.\n');
    }
  });
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve(undefined));
  });
  const address = server.address();
  const actual = typeof address === 'object' && address !== null ? address.port : port;
  return {
    url: `http://localhost:${actual}${below}`,
    port: actual,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve(undefined));
      }),
  };
}
