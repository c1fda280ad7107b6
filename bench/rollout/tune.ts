/**
 * wllama's speed in each setting of `wllama-settings.ts`, to find its best one:
 *
 *   npx tsx bench/rollout/tune.ts [--rollouts 16,64] [--rounds 2] [--tokens 224] [--only TEXT]
 *
 * All settings are measured in turn, and that `rounds` times over, so that other load on the machine
 * hits all; the best round counts. --only takes the settings whose name holds the text.
 */
import { parseArgs } from 'node:util';
import { cpuSeconds } from './cpu-time.ts';
import { withBenchPage, type BenchPage } from './open.ts';
import { CANDIDATES, type WllamaSettings } from './wllama-settings.ts';

const { values } = parseArgs({
  options: {
    rollouts: { type: 'string', default: '16,64' },
    rounds: { type: 'string', default: '2' },
    tokens: { type: 'string', default: '224' },
    only: { type: 'string', default: '' },
  },
});
const tokens = Number(values.tokens);
const candidates = Object.entries(CANDIDATES).filter(([name]) => name.includes(values.only));

interface Speed {
  perSecond: number;
  perCpuSecond: number;
}

async function measure(
  bench: BenchPage,
  rollouts: number,
  settings: WllamaSettings,
): Promise<Speed> {
  await bench.call('startWllama', rollouts, settings);
  const before = cpuSeconds(bench.mark);
  const round = await bench.call('round', 'wllama', rollouts, tokens);
  const perCpuSecond = round.tokens / (cpuSeconds(bench.mark) - before);
  await bench.call('stop');
  return { perSecond: round.perSecond, perCpuSecond };
}

const best = new Map<string, Speed>();
for (const rollouts of values.rollouts.split(',').map(Number)) {
  for (let i = 0; i < Number(values.rounds); i++)
    for (const [name, settings] of candidates) {
      // A browser of its own: what an instance leaves behind would slow the next.
      const speed = await withBenchPage((bench) => measure(bench, rollouts, settings));
      const before = best.get(name);
      best.set(name, {
        perSecond: Math.max(speed.perSecond, before?.perSecond ?? 0),
        perCpuSecond: Math.max(speed.perCpuSecond, before?.perCpuSecond ?? 0),
      });
      console.error(
        `${rollouts} slots, round ${i + 1}, ${name}: ${speed.perSecond.toFixed(0)} tokens/s`,
      );
    }
  console.log(`| setting, ${rollouts} slots | tokens/s | tokens a processor second |`);
  console.log('|---|---:|---:|');
  for (const [name, speed] of [...best].toSorted(([, a], [, b]) => b.perSecond - a.perSecond))
    console.log(`| ${name} | ${speed.perSecond.toFixed(0)} | ${speed.perCpuSecond.toFixed(0)} |`);
  best.clear();
}
