import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const brotli = promisify(brotliCompress);
const deflate = promisify(gzip);

/** Weights, vectors and posting lists are close to random; these kinds are text or code. */
const KINDS = new Set(['.html', '.js', '.css', '.json', '.svg', '.wasm', '.txt']);
/** Below this a file fits into one network packet as it is. */
const SMALLEST = 1400;
/** Compressed copies that save less than this share are not worth their place. */
const LEAST_SAVED = 0.1;

/**
 * Brotli's quality 5 brings ONNX Runtime's 14.2 MB of WebAssembly to 2.9 MB in under a second; 9 saves
 * another 0.2 MB in four times the time. The window must span the whole file.
 */
const brotliOptions = (/** @type {number} */ size) => ({
  params: {
    [constants.BROTLI_PARAM_QUALITY]: 5,
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
    [constants.BROTLI_PARAM_SIZE_HINT]: size,
  },
});

/**
 * Writes `name.br` and `name.gz` beside every file below `root` that gets smaller by it, for a server
 * that sends the copy a browser understands.
 *
 * @param {string} root
 * @returns {Promise<{ files: number, before: number, after: number }>} bytes as they are, and as Brotli
 */
export async function precompress(root) {
  const sum = { files: 0, before: 0, after: 0 };
  for (const entry of await readdir(root, { recursive: true })) {
    const path = join(root, entry);
    if (!KINDS.has(extname(path)) || (await stat(path)).size < SMALLEST) continue;
    const bytes = await readFile(path);
    const [small, fallback] = await Promise.all([
      brotli(bytes, brotliOptions(bytes.length)),
      deflate(bytes, { level: 6 }),
    ]);
    if (small.length > (1 - LEAST_SAVED) * bytes.length) continue;
    await Promise.all([writeFile(`${path}.br`, small), writeFile(`${path}.gz`, fallback)]);
    sum.files++;
    sum.before += bytes.length;
    sum.after += small.length;
  }
  return sum;
}
