import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BROTLI_ONLY, largeAssets } from '../../scripts/serve/brotli-only.mjs';
import { precompress } from '../../scripts/serve/precompress.mjs';
import { serve, type Served } from '../../scripts/serve/server.mjs';

/** Text-like bytes that compress, and bytes that do not. */
const wasm = Buffer.from('\0asm' + 'local.get 0 i32.add '.repeat(5000));
/** Large enough to be in a package as Brotli only. */
const large = Buffer.from('\0asm' + 'local.get 1 i32.mul '.repeat(20_000));
const noise = Buffer.concat(
  Array.from({ length: 200 }, (_, i) => createHash('sha256').update(String(i)).digest()),
);
const html = `<!doctype html><title>Page</title>${'<p>words</p>'.repeat(400)}`;

let root: string;
let server: Served;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'forage-server-'));
  mkdirSync(join(root, 'assets'));
  mkdirSync(join(root, 'world'));
  writeFileSync(join(root, 'index.html'), html);
  writeFileSync(join(root, 'assets/engine.wasm'), wasm);
  writeFileSync(join(root, 'assets/noise.wasm'), noise);
  writeFileSync(join(root, 'world/questions.json'), JSON.stringify(Array(900).fill('where')));
  writeFileSync(join(root, 'world/small.json'), '{}');
  writeFileSync(join(root, 'world/weights.f16'), wasm);
  writeFileSync(join(root, 'assets/large.wasm'), large);
  await precompress(root);
  writeFileSync(join(root, BROTLI_ONLY), JSON.stringify(largeAssets(root)));
  for (const name of ['large.wasm', 'large.wasm.gz']) rmSync(join(root, 'assets', name));
  server = await serve({ root });
});

afterAll(async () => {
  await server.close();
  rmSync(root, { recursive: true, force: true });
});

/** A request as it goes over the wire: `fetch` would decode by itself. */
const get = (
  path: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; headers: IncomingHttpHeaders; body: Buffer }> =>
  new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port: server.port, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks),
        }),
      );
    })
      .on('error', reject)
      .end();
  });

describe('the server of a built page', () => {
  it.each([
    ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
    ['gzip, deflate', 'gzip', gunzipSync],
    ['identity', undefined, (bytes: Buffer) => bytes],
  ] as const)('to "%s" sends %s', async (accepted, encoding, decode) => {
    const { headers, body } = await get('/assets/engine.wasm', { 'accept-encoding': accepted });
    expect(headers['content-encoding']).toBe(encoding);
    expect(headers['content-type']).toBe('application/wasm');
    expect(headers.vary).toBe('Accept-Encoding');
    expect(headers['cache-control']).toMatch(/immutable/);
    expect(Number(headers['content-length'])).toBe(body.length);
    expect(Number(headers['x-decoded-length'])).toBe(wasm.length);
    expect(decode(body).equals(wasm)).toBe(true);
    if (encoding) expect(body.length).toBeLessThan(wasm.length / 10);
  });

  it.each([
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['gzip, deflate', undefined, (bytes: Buffer) => bytes],
    ['identity', undefined, (bytes: Buffer) => bytes],
  ] as const)('to "%s" sends what is there as Brotli only', async (accepted, encoding, decode) => {
    // Small ones stay as they are.
    expect(largeAssets(root)).toEqual({});
    const { status, headers, body } = await get('/assets/large.wasm', {
      'accept-encoding': accepted,
    });
    expect(status).toBe(200);
    expect(headers['content-encoding']).toBe(encoding);
    expect(headers['content-type']).toBe('application/wasm');
    expect(headers.vary).toBe('Accept-Encoding');
    expect(headers['cache-control']).toMatch(/immutable/);
    expect(Number(headers['content-length'])).toBe(body.length);
    expect(Number(headers['x-decoded-length'])).toBe(large.length);
    expect(decode(body).equals(large)).toBe(true);
  });

  it('compresses the page and its permalinks, and keeps the headers of isolation', async () => {
    for (const path of ['/', '/runs/12']) {
      const { headers, body } = await get(path, { 'accept-encoding': 'br' });
      expect(headers['content-encoding']).toBe('br');
      expect(headers['content-type']).toMatch(/^text\/html/);
      expect(headers['cross-origin-embedder-policy']).toBe('require-corp');
      expect(headers['cache-control']).toBe('no-cache');
      expect(brotliDecompressSync(body).toString()).toBe(html);
    }
  });

  it('links to its files from wherever it is sent, below a path of its own too', async () => {
    const page = '<link rel="icon" href="data:,"><script src="./assets/a.js"></script>';
    writeFileSync(join(root, 'index.html'), page);
    rmSync(join(root, 'index.html.br'));
    rmSync(join(root, 'index.html.gz'));
    const below = await serve({ root, base: 'some/where' });
    const body = async (path: string): Promise<string> =>
      (await fetch(`http://127.0.0.1:${below.port}${path}`)).text();
    try {
      expect(below.url).toBe(`http://localhost:${below.port}/some/where/`);
      for (const [path, assets] of [
        ['/some/where/', './assets'],
        ['/some/where', './assets'],
        ['/some/where/train', './assets'],
        ['/some/where/rollouts?filter=a.b', './assets'],
        ['/some/where/rollouts/id', '../assets'],
        ['/some/where/rollouts/id/a.jsonl%3A2', '../../assets'],
        ['/some/where/rollouts/id/a.b/?view=text', '../../../assets'],
      ] as const)
        expect([path, await body(path)]).toEqual([path, page.replace('./assets', assets)]);
      expect(await body('/some/where/world/small.json')).toBe('{}');
      for (const path of ['/', '/some/whereabouts', '/world/small.json', '/some/where/none.json'])
        expect((await fetch(`http://127.0.0.1:${below.port}${path}`)).status).toBe(404);
    } finally {
      await below.close();
    }
  });

  it('says a copy has not changed', async () => {
    const first = await get('/world/questions.json', { 'accept-encoding': 'br' });
    expect(first.headers['content-encoding']).toBe('br');
    const etag = first.headers.etag ?? '';
    const again = await get('/world/questions.json', {
      'accept-encoding': 'br',
      'if-none-match': etag,
    });
    expect(again.status).toBe(304);
    // The other representation is another entity.
    const plain = await get('/world/questions.json', { 'if-none-match': etag });
    expect(plain.status).toBe(200);
  });

  it('leaves alone what is small, does not shrink or is no text', async () => {
    for (const name of ['assets/noise.wasm', 'world/small.json', 'world/weights.f16']) {
      expect(existsSync(join(root, `${name}.br`))).toBe(false);
      const { status, headers } = await get(`/${name}`, { 'accept-encoding': 'br, gzip' });
      expect(status).toBe(200);
      expect(headers['content-encoding']).toBeUndefined();
    }
  });

  it.each(['/missing.json', '/assets/engine.wasm%00.json', '/../../etc/hosts.txt'])(
    'answers 404 to %s',
    async (path) => {
      expect((await get(path, { 'accept-encoding': 'br' })).status).toBe(404);
    },
  );

  it('says nothing of files outside its folder', async () => {
    for (const path of ['/../../../../../../etc/hostname', '/%00', '/a%00/../..']) {
      const { status, headers } = await get(path);
      expect(status).toBe(200);
      expect(headers['x-decoded-length']).toBeUndefined();
    }
  });

  it.each([
    ['bytes=2-5', 206, 2, 6],
    ['bytes=5-', 206, 5, wasm.length],
    ['bytes=5-2', 416, 0, 0],
    ['bytes=5-0', 416, 0, 0],
    ['bytes=99999999999999999999-', 416, 0, 0],
    // Several ranges, a suffix and a range of one byte get the whole file, as the RFC allows.
    ['bytes=0-1,4-5', 200, 0, wasm.length],
    ['bytes=-5', 200, 0, wasm.length],
    ['bytes=0-0', 200, 0, wasm.length],
    ['nonsense', 200, 0, wasm.length],
    ['bytes=a-b', 200, 0, wasm.length],
  ])('answers the range %s with %i', async (range, status, from, to) => {
    const answer = await get('/assets/engine.wasm', { range });
    expect(answer.status).toBe(status);
    expect(answer.body.equals(wasm.subarray(from, to))).toBe(true);
    expect((await get('/')).status).toBe(200);
  });

  it('still answers after a file that a rebuild removed', async () => {
    writeFileSync(join(root, 'world/gone.json'), '{}');
    const other = await serve({ root });
    rmSync(join(root, 'world/gone.json'));
    const status = async (path: string): Promise<number> =>
      (await fetch(`http://127.0.0.1:${other.port}${path}`)).status;
    expect(await status('/world/gone.json')).toBe(404);
    expect(await status('/world/small.json')).toBe(200);
    await other.close();
  });

  it.each([
    '//',
    '/%',
    '/%E0%A4%A.json',
    '/a\\b',
    `/${'x'.repeat(8000)}`,
    '/%2e%2e/%2e%2e/etc/passwd',
  ])('answers an odd address without failing: %j', async (path) => {
    expect((await get(path)).status).toBeLessThan(500);
    expect((await get('/world/small.json')).status).toBe(200);
  });
});
