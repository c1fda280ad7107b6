/**
 * Generated tokens a second of this engine and of wllama (llama.cpp in WASM, continuous batching) in
 * one Chromium, on models of equal shape with random weights: `npm run bench:rollout`.
 *
 *   --rollouts 16,64  --rounds 2  --tokens 224  --threads 2  --only ours|wllama  --json
 *
 * Rounds of the two alternate, so that other load on the machine hits both. Tokens a processor second
 * say the same on a machine that is busy.
 */
import { parseArgs } from 'node:util';
import { chromium, type Page } from 'playwright-core';
import { createServer, type ViteDevServer } from 'vite';
import { chromiumFlags, ensureChromium } from '../../scripts/chromium.mjs';
import { cpuSeconds } from './cpu-time.ts';
import type { Bench, Engine, Round } from './page.ts';

const { values } = parseArgs({
  options: {
    rollouts: { type: 'string', default: '16,64' },
    rounds: { type: 'string', default: '2' },
    tokens: { type: 'string', default: '224' },
    threads: { type: 'string', default: '2' },
    only: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
const threads = Number(values.threads);
const tokens = Number(values.tokens);
const engines: Engine[] = (['ours', 'wllama'] as const).filter(
  (name) => values.only === undefined || values.only === name,
);

/** Serves the sources as they are, isolated so that both engines may use threads. */
async function serve(): Promise<{ server: ViteDevServer; url: string }> {
  const server = await createServer({
    configFile: false,
    logLevel: 'error',
    root: new URL('../..', import.meta.url).pathname,
    cacheDir: 'node_modules/.vite-bench',
    worker: { format: 'es' },
    optimizeDeps: {
      entries: [],
      include: ['@jax-js/jax', '@wllama/wllama', 'zod', '@huggingface/tokenizers'],
    },
    server: {
      port: 0,
      hmr: false,
      watch: null,
      headers: {
        'Cross-Origin-Opener-Policy': 'same-origin',
        'Cross-Origin-Embedder-Policy': 'require-corp',
      },
    },
  });
  await server.listen();
  const address = server.httpServer!.address();
  if (address === null || typeof address === 'string') throw new Error('bench: no port');
  return { server, url: `http://localhost:${address.port}/bench/rollout/index.html` };
}

type BenchWindow = { bench: Bench };

interface Result extends Round {
  engine: Engine;
  rollouts: number;
  perCpuSecond: number;
}

async function round(page: Page, engine: Engine, rollouts: number, mark: string): Promise<Result> {
  const before = cpuSeconds(mark);
  const measured = await page.evaluate(
    ([name, n, count]) => (globalThis as unknown as BenchWindow).bench.round(name, n, count),
    [engine, rollouts, tokens] as const,
  );
  const perCpuSecond = measured.tokens / (cpuSeconds(mark) - before);
  return { engine, rollouts, ...measured, perCpuSecond };
}

async function compare(page: Page, rollouts: number, mark: string): Promise<Result[]> {
  const results: Result[] = [];
  for (const engine of engines)
    await page.evaluate(
      ([name, n, t]) => (globalThis as unknown as BenchWindow).bench.start(name, n, t),
      [engine, rollouts, threads] as const,
    );
  for (let i = 0; i < Number(values.rounds); i++)
    for (const engine of engines) {
      const result = await round(page, engine, rollouts, mark);
      results.push(result);
      if (!values.json)
        console.log(
          `${rollouts} rollouts, round ${i + 1}, ${engine}: ${result.perSecond.toFixed(0)} tokens/s, ` +
            `${result.perCpuSecond.toFixed(0)} a processor second, ${result.longestTask > 0 ? `a task of ${result.longestTask.toFixed(0)} ms` : 'no task over 50 ms'} on the page`,
        );
    }
  await page.evaluate(() => (globalThis as unknown as BenchWindow).bench.stop());
  return results;
}

function summary(results: readonly Result[], rollouts: number) {
  const best = (engine: Engine, key: 'perSecond' | 'perCpuSecond'): number =>
    Math.max(
      ...results.filter((r) => r.engine === engine && r.rollouts === rollouts).map((r) => r[key]),
    );
  const of = (key: 'perSecond' | 'perCpuSecond') => ({
    ours: best('ours', key),
    wllama: best('wllama', key),
    ratio: best('ours', key) / best('wllama', key),
  });
  return { rollouts, tokensPerSecond: of('perSecond'), tokensPerCpuSecond: of('perCpuSecond') };
}

const { server, url } = await serve();
const mark = `--bench-mark=${process.pid}`;
const browser = await chromium.launch({
  executablePath: ensureChromium(),
  args: [...chromiumFlags({ webgpu: false }), mark],
});
try {
  const page = await browser.newPage();
  page.setDefaultTimeout(0);
  page.on('pageerror', (error) => console.error(`page: ${error.message}`));
  page.on('console', (m) => {
    if (m.type() === 'error') console.error(`page: ${m.text().slice(0, 300)}`);
  });
  await page.goto(url);
  await page.waitForFunction(() => 'bench' in globalThis);
  const counts = values.rollouts.split(',').map(Number);
  const results: Result[] = [];
  for (const rollouts of counts) results.push(...(await compare(page, rollouts, mark)));
  const summaries = counts.map((rollouts) => summary(results, rollouts));
  if (values.json) console.log(JSON.stringify({ threads, tokens, summaries, results }));
  else
    for (const s of summaries)
      console.log(
        `${s.rollouts} rollouts, best rounds: ours ${s.tokensPerSecond.ours.toFixed(0)}, wllama ${s.tokensPerSecond.wllama.toFixed(0)} tokens/s, ` +
          `ratio ${s.tokensPerSecond.ratio.toFixed(2)} (${s.tokensPerCpuSecond.ratio.toFixed(2)} a processor second)`,
      );
} finally {
  await browser.close();
  await server.close();
}
