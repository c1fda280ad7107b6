import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { DIST } from './browser.ts';

const TYPES: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.wasm': 'application/wasm',
};

interface StaticHost {
  /** Address of the page, with a slash at its end. */
  readonly url: string;
  close(): void;
}

/**
 * A host of files that has the built page below `base`: no headers but a type, and 404 for what is no
 * file; with what `404.html` holds where it `showsLost`, as GitHub Pages does.
 */
export const staticHost = async (base: string, showsLost = false): Promise<StaticHost> => {
  const host = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const path = pathname.startsWith(base) ? pathname.slice(base.length) : 'none';
    let file = join(DIST, path === '' ? 'index.html' : path);
    if (!existsSync(file) || !statSync(file).isFile()) {
      response.statusCode = 404;
      if (!showsLost) return response.end();
      file = join(DIST, '404.html');
    }
    const type = TYPES[extname(file)] ?? 'application/octet-stream';
    createReadStream(file).pipe(response.setHeader('Content-Type', type));
  });
  await new Promise<void>((done) => host.listen(0, '127.0.0.1', done));
  const { port } = host.address() as AddressInfo;
  return {
    url: `http://localhost:${port}${base}`,
    close: () => {
      host.closeAllConnections();
      host.close();
    },
  };
};
