/**
 * Rate of floating-point operations of a LoRA training step on the WASM kernels, beside that of one
 * 512³ matrix product of theirs in the same Chromium, one thread each; and bytes of activations at
 * several depths: `npx tsx bench/train/run.ts`.
 *
 *   --shapes built-in,d=192  --tokens 4096  --length 256  --share 0.5  --rank 16  --rounds 5
 *   --products 4  --depths 1,2,4,8,16  --json
 *
 * What is counted is in flops.ts. Step and products alternate; the best round of each counts.
 */
import { parseArgs } from 'node:util';
import { chromium, type Page } from 'playwright-core';
import { createServer, type ViteDevServer } from 'vite';
import { chromiumFlags, ensureChromium } from '../../scripts/chromium.mjs';
import type { Bench, DepthBytes, Round } from './page.ts';
import { SHAPE_NAMES, SHAPES, type Load, type Shape } from './shape.ts';

const { values } = parseArgs({
  options: {
    shapes: { type: 'string', default: SHAPE_NAMES.join(',') },
    tokens: { type: 'string', default: '4096' },
    length: { type: 'string', default: '256' },
    share: { type: 'string', default: '0.5' },
    rank: { type: 'string', default: '16' },
    rounds: { type: 'string', default: '5' },
    products: { type: 'string', default: '4' },
    depths: { type: 'string', default: '1,2,4,8,16' },
    json: { type: 'boolean', default: false },
  },
});
const load: Load = {
  tokens: Number(values.tokens),
  length: Number(values.length),
  share: Number(values.share),
  rank: Number(values.rank),
};
if (!(load.tokens >= load.length)) throw new Error('bench: --tokens must be at least --length');
const asked = values.shapes.split(',');
const shapes: Shape[] = SHAPE_NAMES.filter((name) => asked.includes(name));
if (shapes.length !== asked.length)
  throw new Error(`bench: shapes are ${SHAPE_NAMES.join(', ')}; got ${values.shapes}`);

/** Serves the sources as they are. */
async function serve(): Promise<{ server: ViteDevServer; url: string }> {
  const server = await createServer({
    configFile: false,
    logLevel: 'error',
    root: new URL('../..', import.meta.url).pathname,
    cacheDir: 'node_modules/.vite-bench-train',
    optimizeDeps: { entries: [], include: ['zod'] },
    server: { port: 0, hmr: false, watch: null },
  });
  await server.listen();
  const address = server.httpServer!.address();
  if (address === null || typeof address === 'string') throw new Error('bench: no port');
  return { server, url: `http://localhost:${address.port}/bench/train/index.html` };
}

type BenchWindow = { bench: Bench };

interface Summary {
  shape: Shape;
  stepSeconds: number;
  /** Thousand million operations a second. */
  gflops: {
    /** All that was computed. */
    step: number;
    /** Without what was computed a second time. */
    stepUseful: number;
    matmul: number;
  };
  /** Of the product's rate: of all operations, and without those computed a second time. */
  ratio: number;
  ratioUseful: number;
  flops: Round['step']['flops'];
  depths: DepthBytes[];
  /** Growth of activations a layer, and the bytes of one [tokens, hidden] tensor. */
  bytesPerLayer: number;
  tensorBytes: number;
}

function summarise(shape: Shape, rounds: readonly Round[], depths: DepthBytes[]): Summary {
  const stepSeconds = Math.min(...rounds.map((r) => r.step.seconds));
  const product = Math.min(...rounds.map((r) => r.matmul.seconds));
  const { flops, total } = rounds[0]!.step;
  const gflops = {
    step: total / stepSeconds / 1e9,
    stepUseful: (flops.forward + flops.backward) / stepSeconds / 1e9,
    matmul: rounds[0]!.matmul.flops / product / 1e9,
  };
  const [first, last] = [depths[0]!, depths.at(-1)!];
  return {
    shape,
    stepSeconds,
    gflops,
    ratio: gflops.step / gflops.matmul,
    ratioUseful: gflops.stepUseful / gflops.matmul,
    flops,
    depths,
    bytesPerLayer: (last.activations - first.activations) / (last.layers - first.layers),
    tensorBytes: 4 * (load.tokens - 8) * SHAPES[shape].hiddenSize,
  };
}

async function measure(page: Page, shape: Shape): Promise<Summary> {
  await page.evaluate(
    ([name, given]) => (globalThis as unknown as BenchWindow).bench.start(name, given),
    [shape, load] as const,
  );
  const rounds: Round[] = [];
  // The first round warms up: engines compile hot code again while it runs.
  for (let i = 0; i <= Number(values.rounds); i++) {
    const one = await page.evaluate(
      (products) => (globalThis as unknown as BenchWindow).bench.round(products),
      Number(values.products),
    );
    if (i > 0) rounds.push(one);
  }
  const depths = await page.evaluate(
    ([name, given, layers]) =>
      (globalThis as unknown as BenchWindow).bench.depths(name, given, layers),
    [shape, load, values.depths.split(',').map(Number)] as const,
  );
  return summarise(shape, rounds, depths);
}

const percent = (share: number): string => `${(100 * share).toFixed(0)} %`;
const mega = (bytes: number): string => (bytes / 1e6).toFixed(2);

function print(summaries: readonly Summary[]): void {
  console.log(
    `${load.tokens} tokens in sequences of ${load.length}, ${percent(load.share)} trained, rank ${load.rank}`,
  );
  console.table(
    Object.fromEntries(
      summaries.map((s) => [
        s.shape,
        {
          'step s': s.stepSeconds.toFixed(3),
          'step GFLOP/s': s.gflops.step.toFixed(1),
          'without recomputation': s.gflops.stepUseful.toFixed(1),
          '512³ GFLOP/s': s.gflops.matmul.toFixed(1),
          ratio: percent(s.ratio),
          'ratio without': percent(s.ratioUseful),
        },
      ]),
    ),
  );
  for (const s of summaries) {
    console.log(
      `${s.shape}: activations grow by ${mega(s.bytesPerLayer)} MB a layer; one [tokens, hidden] tensor is ${mega(s.tensorBytes)} MB`,
    );
    console.table(
      s.depths.map((d) => ({
        layers: d.layers,
        'activations MB': mega(d.activations),
        'all MB': mega(d.total),
      })),
    );
  }
}

const { server, url } = await serve();
const browser = await chromium.launch({
  executablePath: ensureChromium(),
  args: chromiumFlags({ webgpu: false }),
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
  const summaries: Summary[] = [];
  for (const shape of shapes) summaries.push(await measure(page, shape));
  if (values.json) console.log(JSON.stringify({ load, summaries }));
  else print(summaries);
} finally {
  await browser.close();
  await server.close();
}
