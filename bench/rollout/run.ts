/**
 * Generated tokens per second of this engine and of wllama (llama.cpp in WASM, continuous batching) in
 * one Chromium, on models of equal shape with random weights: `npm run -s lab -- bench rollout`.
 *
 *   --rollouts 16,64  --rounds 2  --tokens 224  --threads 2  --only ours|wllama  --wllama NAME  --json
 *
 * wllama runs in the setting of `wllama-settings.ts` that `tune.ts` found fastest, or in the one that
 * --wllama names. Rounds of the two alternate, so that other load on the machine hits both. Tokens a
 * processor second say the same on a machine that is busy.
 */
import { parseArgs } from 'node:util';
import { cpuSeconds } from './cpu-time.ts';
import { withBenchPage, type BenchPage } from './open.ts';
import type { Engine, Round } from './page.ts';
import { BEST, CANDIDATES } from './wllama-settings.ts';

const { values } = parseArgs({
  options: {
    rollouts: { type: 'string', default: '16,64' },
    rounds: { type: 'string', default: '2' },
    tokens: { type: 'string', default: '224' },
    threads: { type: 'string', default: '2' },
    only: { type: 'string' },
    wllama: { type: 'string', default: BEST },
    json: { type: 'boolean', default: false },
  },
});
const threads = Number(values.threads);
const tokens = Number(values.tokens);
const engines: Engine[] = (['ours', 'wllama'] as const).filter(
  (name) => values.only === undefined || values.only === name,
);
const settings = CANDIDATES[values.wllama];
if (!settings) throw new Error(`--wllama is one of: ${Object.keys(CANDIDATES).join('; ')}`);

interface Result extends Round {
  engine: Engine;
  rollouts: number;
  perCpuSecond: number;
}

async function round(bench: BenchPage, engine: Engine, rollouts: number): Promise<Result> {
  const before = cpuSeconds(bench.mark);
  const measured = await bench.call('round', engine, rollouts, tokens);
  const perCpuSecond = measured.tokens / (cpuSeconds(bench.mark) - before);
  return { engine, rollouts, ...measured, perCpuSecond };
}

async function compare(bench: BenchPage, rollouts: number): Promise<Result[]> {
  const results: Result[] = [];
  if (engines.includes('ours')) await bench.call('startOurs', rollouts, threads);
  if (engines.includes('wllama') && settings) await bench.call('startWllama', rollouts, settings);
  for (let i = 0; i < Number(values.rounds); i++)
    for (const engine of engines) {
      const result = await round(bench, engine, rollouts);
      results.push(result);
      if (!values.json)
        console.log(
          `${rollouts} rollouts, round ${i + 1}, ${engine}: ${result.perSecond.toFixed(0)} tokens/s, ` +
            `${result.perCpuSecond.toFixed(0)} a processor second, ${result.longestTask > 0 ? `a task of ${result.longestTask.toFixed(0)} ms` : 'no task over 50 ms'} on the page`,
        );
    }
  await bench.call('stop');
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

const counts = values.rollouts.split(',').map(Number);
const results: Result[] = [];
await withBenchPage(async (bench) => {
  for (const rollouts of counts) results.push(...(await compare(bench, rollouts)));
});
const summaries = counts.map((rollouts) => summary(results, rollouts));
if (values.json)
  console.log(JSON.stringify({ threads, tokens, wllama: values.wllama, summaries, results }));
else
  for (const s of summaries)
    console.log(
      `${s.rollouts} rollouts, best rounds: ours ${s.tokensPerSecond.ours.toFixed(0)}, wllama ${s.tokensPerSecond.wllama.toFixed(0)} tokens/s, ` +
        `ratio ${s.tokensPerSecond.ratio.toFixed(2)} (${s.tokensPerCpuSecond.ratio.toFixed(2)} a processor second)`,
    );
