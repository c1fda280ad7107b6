/**
 * What keys and values in halves change, with the built-in policy on the CPU: how far sampler and trainer are apart in the
 * log-probabilities of the same tokens where both, one or neither holds them in halves, and how far the gradients are.
 *
 *   npx tsx bench/engine/halves.ts [--rollouts 24] [--tokens 300]
 */
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { initAdapter } from '../../src/policy/lora/init.ts';
import type { LoraSpec } from '../../src/policy/lora/spec.ts';
import { packBatch } from '../../src/policy/lora/train-batch.ts';
import { prepareNode } from '../../src/policy/node/prepare.ts';
import { loadPolicy, loadWeights } from '../../src/policy/open/load.ts';
import { STORE_TYPES, type StoreType } from '../../src/policy/ops/values.ts';

const { values } = parseArgs({
  options: {
    rollouts: { type: 'string', default: '24' },
    tokens: { type: 'string', default: '300' },
  },
});
const [rollouts, tokens] = [Number(values.rollouts), Number(values.tokens)];
const SPEC: LoraSpec = { rank: 8, alpha: 16, targets: ['q_proj', 'v_proj'] };
const LIMITS = { maxTokens: 4096, maxLength: 1024 };
/** Rollouts of a micro-batch. */
const TOGETHER = 8;

prepareNode();
const files = (name: string): Promise<Uint8Array> =>
  readFile(new URL(`../../public/policy/${name}`, import.meta.url));
const { config } = await loadWeights(files);
const open = (keys: StoreType) => loadPolicy({ files, id: 'built-in', device: 'wasm', keys });

interface Sampled {
  readonly ids: readonly number[];
  readonly logprobs: readonly number[];
}

async function sampled(keys: StoreType): Promise<{ prompt: number[]; written: Sampled[] }> {
  const policy = await open(keys);
  const prompt = policy.tokenizer.encodeText('Where was the director of the film born?');
  const sampling = { temperature: 1, topK: 0, topP: 1 };
  const written = await Promise.all(
    Array.from({ length: rollouts }, async (_, seed) => {
      const session = await policy.open(seed);
      session.append(prompt);
      return session.generate({ maxTokens: tokens, stopIds: [], sampling });
    }),
  );
  policy.dispose();
  return { prompt, written };
}

/** Gradients of some loss, and how far the trainer's log-probabilities are from the sampler's. */
async function trained(keys: StoreType, { prompt, written }: Awaited<ReturnType<typeof sampled>>) {
  const policy = await open(keys);
  const trainer = policy.trainer(SPEC, LIMITS);
  await trainer.setAdapter(initAdapter(config, SPEC, 1));
  trainer.zeroGradients();
  const gaps: number[] = [];
  for (let at = 0; at < written.length; at += TOGETHER) {
    const part = written.slice(at, at + TOGETHER);
    const batch = packBatch(
      part.map(({ ids }) => ({
        ids: [...prompt, ...ids],
        weights: [...prompt.map(() => 0), ...ids.map(() => 1)],
      })),
    );
    const { logprobs } = await trainer.accumulate(batch, (scores) =>
      scores.logprobs.map((_, i) => (i % 7) - 3),
    );
    part
      .flatMap((one) => one.logprobs)
      .forEach((old, i) => gaps.push(Math.abs(old - (logprobs[i] ?? Number.NaN))));
  }
  const gradient = await trainer.gradients();
  trainer.dispose();
  policy.dispose();
  return { gaps, gradient };
}

const norm = (of: Float32Array): number => Math.hypot(...of);
for (const ofSampler of STORE_TYPES) {
  const samples = await sampled(ofSampler);
  const gradients: Float32Array[] = [];
  for (const ofTrainer of STORE_TYPES) {
    const { gaps, gradient } = await trained(ofTrainer, samples);
    gradients.push(gradient);
    const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
    console.log(
      `sampler ${ofSampler}, trainer ${ofTrainer}: ${gaps.length} tokens, ` +
        `gap at most ${Math.max(...gaps).toExponential(1)}, mean ${mean.toExponential(1)} nats`,
    );
  }
  const [whole, halves] = gradients;
  if (!whole || !halves) throw new Error('two trainers');
  const apart = norm(whole.map((value, i) => value - (halves[i] ?? Number.NaN))) / norm(whole);
  console.log(`gradients of the two trainers: ${apart.toExponential(1)} of their norm apart`);
}
