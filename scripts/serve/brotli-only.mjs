import { createReadStream, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { pipeline } from 'node:stream';
import { createBrotliDecompress } from 'node:zlib';

/**
 * A package has its largest scripts and WebAssembly files as Brotli only: npm packs with gzip, which makes ONNX
 * Runtime 2.4 MB larger. `brotli-only.json` in the page's folder names them, with the bytes that each unpacks to.
 */

export const BROTLI_ONLY = 'brotli-only.json';

const SMALLEST = 250e3;
const TYPES = { '.js': 'text/javascript', '.wasm': 'application/wasm' };

/**
 * @param {string} root folder of a built page
 * @returns {Record<string, number>} bytes by path, with `/` between folders
 */
export function largeAssets(root) {
  return Object.fromEntries(
    readdirSync(join(root, 'assets'))
      .filter((name) => extname(name) in TYPES && existsSync(join(root, 'assets', `${name}.br`)))
      .map(
        (name) =>
          /** @type {const} */ ([`assets/${name}`, statSync(join(root, 'assets', name)).size]),
      )
      .filter(([, size]) => size >= SMALLEST),
  );
}

/**
 * @param {string} root
 * @returns {Record<string, number>} as `largeAssets`, of the files that are there as Brotli only
 */
export const brotliOnlyOf = (root) =>
  existsSync(join(root, BROTLI_ONLY))
    ? JSON.parse(readFileSync(join(root, BROTLI_ONLY), 'utf8'))
    : {};

/**
 * Unpacks a file for a client that does not take Brotli: browsers take it from localhost or over https only.
 *
 * @param {string} root
 * @param {string} path
 * @param {number} size
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 */
export function sendUnpacked(root, path, size, request, response) {
  response.setHeader('Content-Type', TYPES[/** @type {keyof typeof TYPES} */ (extname(path))]);
  response.setHeader('Content-Length', size);
  response.setHeader('X-Decoded-Length', size);
  response.setHeader('Cache-Control', 'public, max-age=31536000, immutable');
  response.setHeader('Vary', 'Accept-Encoding');
  if (request.method === 'HEAD') response.end();
  else
    pipeline(
      createReadStream(join(root, `${path}.br`)),
      createBrotliDecompress(),
      response,
      (error) => {
        if (error) response.destroy();
      },
    );
}
