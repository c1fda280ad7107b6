/**
 * Decoding with the shape of Qwen2-0.5B beside WebLLM (q4f32_1) in one Chromium, on one device:
 *
 *   npx tsx scripts/webllm-model.ts Qwen2-0.5B-Instruct-q4f32_1-ctx4k_cs1k-webgpu.wasm FOLDER
 *   npx tsx bench/webllm/run.ts FOLDER [--tokens 8] [--slots 16] [--rounds 2] [--json]
 *
 * The library comes from github.com/mlc-ai/binary-mlc-llm-libs (web-llm-models/v0_2_48). Rounds of the two alternate. What
 * a token takes is the difference of a long call and a short one, so that prompts and start-up do not count; the
 * browser's processor time beside the wall clock, since that is what a software driver is bound by. `--json` prints
 * `{ rows: [{ name, model, type, value, must, ok }] }`; ends with 1 where a row is worse than its bound.
 */
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium, type Page } from 'playwright-core';
import { build } from 'vite';
import { chromiumFlags, ensureChromium } from '../../scripts/chromium.mjs';
import { serve } from '../../scripts/serve/server.mjs';
import { median } from '../../src/base/statistics.ts';
import { cpuSeconds } from '../rollout/cpu-time.ts';
import type { Asked, Bench } from './page.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    tokens: { type: 'string', default: '8' },
    slots: { type: 'string', default: '16' },
    rounds: { type: 'string', default: '2' },
    json: { type: 'boolean', default: false },
  },
});
const folder = positionals[0] ?? process.env['FORAGE_WEBLLM'];
if (folder === undefined)
  throw new Error('FOLDER (or FORAGE_WEBLLM): what scripts/webllm-model.ts writes');
const [tokens, slots, rounds] = [values.tokens, values.slots, values.rounds].map(Number);
if (!tokens || !slots || !rounds) throw new Error('--tokens, --slots, --rounds: at least 1');
const SHORT = 2;

const root = mkdtempSync(join(tmpdir(), 'forage-bench-webllm-'));
await build({
  configFile: false,
  root: import.meta.dirname,
  base: './',
  logLevel: 'warn',
  build: { outDir: root, target: 'es2022', chunkSizeWarningLimit: 10_000 },
});
symlinkSync(resolve(folder), join(root, 'model'));
const server = await serve({ root });
const mark = `--bench-mark=${process.pid}`;
const browser = await chromium.launch({
  executablePath: ensureChromium(),
  args: [...chromiumFlags({ webgpu: true }), '--enable-dawn-features=disable_workgroup_init', mark],
});

/** Seconds by the clock and of the browser's processors. */
interface Cost {
  readonly wall: number;
  readonly cpu: number;
}
async function costOf<T>(work: () => Promise<T>): Promise<Cost & { result: T }> {
  const [start, before] = [performance.now(), cpuSeconds(mark)];
  const result = await work();
  return { result, wall: (performance.now() - start) / 1000, cpu: cpuSeconds(mark) - before };
}
const between = (long: Cost, short: Cost, count: number): Cost => ({
  wall: (long.wall - short.wall) / count,
  cpu: (long.cpu - short.cpu) / count,
});
const tell = (line: string): void => (values.json ? console.error(line) : console.log(line));

const call = <K extends keyof Bench>(
  page: Page,
  name: K,
  ...args: Parameters<Bench[K]>
): ReturnType<Bench[K]> =>
  page.evaluate(
    ([method, given]) =>
      (globalThis as unknown as { bench: Record<string, (...all: unknown[]) => unknown> }).bench[
        method
      ]?.(...given),
    [name, args as unknown[]] as [string, unknown[]],
  ) as ReturnType<Bench[K]>;

const costs: Record<'webllm' | 'one' | 'many', Cost[]> = { webllm: [], one: [], many: [] };
try {
  const page = await browser.newPage();
  page.setDefaultTimeout(0);
  page.on('pageerror', (error) => console.error(`page: ${error.message}`));
  await page.goto(server.url);
  await page.waitForFunction(() => 'bench' in globalThis);
  const loaded = await costOf(() => call(page, 'startWebLlm'));
  tell(`WebLLM loaded in ${loaded.wall.toFixed(0)} s`);
  await call(page, 'startOurs');
  const ask = (count: number) => costOf(() => call(page, 'askWebLlm', count));
  let told: Asked = (await ask(SHORT)).result;
  const context = told.prompt + Math.round(tokens / 2);
  const decode = (count: number, steps: number) =>
    costOf(() => call(page, 'decode', count, context, steps));
  await decode(1, 1);
  await decode(slots, 1);
  for (let round = 0; round < rounds; round++) {
    const [short, long] = [await ask(SHORT), await ask(SHORT + tokens)];
    told = long.result;
    costs.webllm.push(between(long, short, told.tokens - short.result.tokens));
    for (const [name, count] of [
      ['one', 1],
      ['many', slots],
    ] as const)
      costs[name].push(
        between(await decode(count, 1 + tokens), await decode(count, 1), tokens * count),
      );
    tell(
      `round ${round + 1}, seconds a token (processors): ` +
        Object.entries(costs)
          .map(([name, all]) => {
            const last = all.at(-1);
            return `${name} ${last?.wall.toFixed(2)} (${last?.cpu.toFixed(2)})`;
          })
          .join(', '),
    );
  }
} finally {
  await browser.close();
  await server.close();
  rmSync(root, { recursive: true, force: true });
}

const cpu = (name: keyof typeof costs): number =>
  median(costs[name].map((cost) => cost.cpu)) ?? Number.NaN;
const rows = [
  {
    name: 'tokens a processor second beside WebLLM, 1 slot',
    value: cpu('webllm') / cpu('one'),
    must: 1,
  },
  {
    name: `tokens a processor second, ${slots} slots beside 1`,
    value: cpu('one') / cpu('many'),
    must: 2,
  },
].map((row) => ({ ...row, model: 'qwen2-0.5b', type: 'int4', ok: row.value >= row.must }));
if (values.json) console.log(JSON.stringify({ rows, costs }, null, 2));
else
  for (const { name, value, must, ok } of rows)
    console.log(`${ok ? ' ' : '!'} ${name.padEnd(54)}${value.toFixed(2).padStart(8)}${must}`);
process.exit(rows.every(({ ok }) => ok) ? 0 : 1);
