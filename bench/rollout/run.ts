import { chromium } from 'playwright-core';
import { createServer } from 'vite';
import { chromiumFlags, ensureChromium } from '../../scripts/chromium.mjs';
import type { Bench } from './page.ts';

const server = await createServer({
  configFile: false,
  logLevel: 'error',
  root: new URL('../..', import.meta.url).pathname,
  cacheDir: 'node_modules/.vite-bench',
  worker: { format: 'es' },
  optimizeDeps: { include: ['@jax-js/jax', '@wllama/wllama', 'zod', '@huggingface/tokenizers'], entries: [] },
  server: {
    port: 0,
    hmr: false,
    headers: {
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cross-Origin-Embedder-Policy': 'require-corp',
    },
  },
});
await server.listen();
const port = (server.httpServer!.address() as { port: number }).port;
const browser = await chromium.launch({ executablePath: ensureChromium(), args: chromiumFlags({ webgpu: false }) });
try {
  const page = await browser.newPage();
  page.on('console', (m) => { if (process.env['VERBOSE'] || m.type() === 'error') console.log('[page]', m.text().slice(0, 300)); });
  page.on('pageerror', (e) => console.log('[pageerror]', e.message));
  await page.goto(`http://localhost:${port}/bench/rollout/index.html`);
  await page.waitForFunction(() => 'bench' in globalThis);
  const what = (process.argv[2] ?? 'both');
  const counts = (process.argv[3] ?? '16,64').split(',').map(Number);
  for (const n of counts) {
    if (what !== 'wllama') {
      const w = Number(process.env['WORKERS'] ?? 2);
      const ours = await page.evaluate(([n, w]) => (globalThis as unknown as { bench: Bench }).bench.ours(n!, w!, 2), [n, w]);
      console.log(`ours   ${n} rollouts, ${w} workers:`, ours.map((r) => r.tokensPerSecond.toFixed(0)).join(' '), 'tok/s');
    }
    if (what !== 'ours') for (const half of [false, true]) {
      const theirs = await page.evaluate(([n, h]) => (globalThis as unknown as { bench: Bench }).bench.wllama(n as number, 2, h as boolean, 2), [n, half]);
      console.log(`wllama ${n} slots ${half ? 'f16' : 'f32'}:`, theirs.map((r) => r.tokensPerSecond.toFixed(0)).join(' '), 'tok/s');
    }
  }
} finally {
  await browser.close();
  await server.close();
}
