/**
 * What retrieval does in Chromium, on the shipped world: HNSW beside the exact scan, latencies over
 * HTTP, the encoder on WASM and on WebGPU. The page has the production content security policy.
 *
 *   npx tsx bench/retrieval/in-chromium.ts [--queries 300]
 */
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { createServer } from 'vite';
import { chromiumFlags, ensureChromium } from '../../scripts/chromium.mjs';
import type { Timing } from './browser.ts';

const { values } = parseArgs({ options: { queries: { type: 'string', default: '300' } } });
const ms = ({ mean, p95 }: Timing): string =>
  `${mean.toFixed(2)} ms mean, ${p95.toFixed(2)} ms p95`;

const server = await createServer({ server: { port: 0 }, logLevel: 'error' });
await server.listen();
const browser = await chromium.launch({
  executablePath: ensureChromium(),
  args: chromiumFlags({ webgpu: true }),
});
try {
  const page = await browser.newPage();
  page.on('pageerror', (error) => console.error(error));
  page.on('console', (message) => {
    if (message.type() === 'error') console.error(message.text());
  });
  await page.goto(`${server.resolvedUrls?.local[0] ?? ''}bench/retrieval/browser.html`);
  await page.waitForFunction(() => typeof window.measure === 'function');
  const report = await page.evaluate((n) => window.measure(n), Number(values.queries));
  const { hnsw, web, webgpu } = report;
  console.log(
    `${report.queries} gold queries; world ${report.loadMs.toFixed(0)} ms, encoder ${report.encoderMs.toFixed(0)} ms to load`,
  );
  console.log(
    `HNSW recall@10 of exact  ${hnsw.recallAt10.toFixed(4)}  (built in ${hnsw.buildMs.toFixed(0)} ms)`,
  );
  console.log(`HNSW search              ${ms(hnsw.search)}`);
  console.log(`exact scan               ${ms(hnsw.exact)}`);
  console.log(`encode a query, wasm     ${ms(report.encode)}`);
  console.log(`local, k = 3             ${ms(report.local)}`);
  console.log(
    `web, k = 3, no cache     ${ms(web)}; ${web.requests.toFixed(1)} requests, ${(web.bytes / 1024).toFixed(0)} KiB a call`,
  );
  console.log(`web, k = 3, cached       ${ms(report.webCached)}`);
  console.log(`both, k = 3, cached      ${ms(report.both)}`);
  console.log(
    'error' in webgpu
      ? `webgpu: ${webgpu.error}`
      : `encode a query, webgpu   ${ms(webgpu.encode)}; differs from wasm by at most ${webgpu.largestDifference.toExponential(1)}`,
  );
  console.log(`first vector             ${report.firstVector.map((v) => v.toFixed(6)).join(' ')}`);
} finally {
  await browser.close();
  await server.close();
}
