import { statSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import sirv from 'sirv';
import { SECURITY_HEADERS } from './headers.mjs';

const EXTENSION = /\.[\w-]+(\?.*)?$/;

/**
 * Serves a built page, compressed where `precompress` left a copy that the browser understands. Unknown paths without a file extension get index.html, because the page's
 * routes are permalinks; a missing file is a real 404, so that the page can say which one is missing.
 *
 * @param {{ root: string, port?: number, host?: string }} options port 0 picks a free one
 * @returns {Promise<{ url: string, port: number, close: () => Promise<void> }>}
 */
export async function serve({ root, port = 0, host = '127.0.0.1' }) {
  const files = sirv(root, {
    etag: true,
    brotli: true,
    gzip: true,
    single: true,
    ignores: [EXTENSION],
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
        ? statSync(join(root, path), { throwIfNoEntry: false })?.size
        : undefined;
      if (size !== undefined) response.setHeader('X-Decoded-Length', size);
    },
  });
  const server = createServer((request, response) => {
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
    files(request, response, () => {
      response.statusCode = 404;
      response.setHeader('Content-Type', 'text/plain; charset=utf-8');
      response.end(`No such file: ${request.url}\n`);
    });
  });
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve(undefined));
  });
  const address = server.address();
  const actual = typeof address === 'object' && address !== null ? address.port : port;
  return {
    url: `http://localhost:${actual}/`,
    port: actual,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve(undefined));
      }),
  };
}
