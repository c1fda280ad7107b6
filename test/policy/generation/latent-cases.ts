import { beforeAll, expect, it } from 'vitest';
import { Random } from '../../../src/base/random.ts';
import { sourceOf } from '../../../src/policy/checkpoint/tensor-source.ts';
import { GenerationEngine } from '../../../src/policy/generation/engine.ts';
import { viewGates } from '../../../src/policy/latent/gates.ts';
import { initAdapter } from '../../../src/policy/lora/init.ts';
import { loraSize, type LoraSpec } from '../../../src/policy/lora/spec.ts';
import { packBatch, type Latents } from '../../../src/policy/lora/train-batch.ts';
import { adapterShapes } from '../../../src/policy/model/adapter.ts';
import type { Decoder } from '../../../src/policy/model/decoder.ts';
import { DecoderLoraTrainer } from '../../../src/policy/model/trainer.ts';
import { uploadDecoder } from '../../../src/policy/model/upload.ts';
import type { Ops } from '../../../src/policy/ops/ops.ts';
import type { Generated, GenerateOptions, PolicySession } from '../../../src/policy/policy.ts';
import { difference } from '../ops/support/compare.ts';
import { config, weights } from './tiny-decoder.ts';

/** What sampling with latent tokens has to be on every device. */

const factors: LoraSpec = { rank: 3, alpha: 6, targets: ['q_proj', 'v_proj', 'down_proj'] };
const wide: LoraSpec = { ...factors, gates: { rMin: 0.5, rMax: 0.9 } };
const closed: LoraSpec = { ...factors, gates: { rMin: 1, rMax: 1 } };

/** The same factors for every spec. */
function values(spec: LoraSpec): Float32Array {
  const flat = initAdapter(config, spec, 1);
  const random = new Float32Array(loraSize(config, spec));
  new Random(9).fillNormal(random, 0.2);
  flat.set(random);
  return flat;
}

const prompt = (count: number, by = 7): number[] =>
  Array.from({ length: count }, (_, i) => (by * i) % 60);
/** At a temperature other than 1, so that h is of another distribution than the model's. */
const plan: GenerateOptions = {
  maxTokens: 10,
  stopIds: [],
  sampling: { temperature: 0.8, topK: 0, topP: 1 },
};
const latent: GenerateOptions = { ...plan, latent: { stopIds: [] } };

/** @param open operations of the device, which the engine takes over */
export function latentGeneration(open: () => Promise<Ops>): void {
  let decoder: Decoder;
  let engine: GenerationEngine;
  beforeAll(async () => {
    decoder = await uploadDecoder(await open(), sourceOf(weights), { type: 'f32' });
    engine = new GenerationEngine(decoder, { maxSlots: 4, prefillChunk: 8, keys: 'f32' });
  });

  const adapt = (spec: LoraSpec): Promise<void> =>
    engine.update(async ({ ops }) => {
      const { shapes, places } = adapterShapes(config, spec);
      const adapter = ops.adapter(shapes, false);
      const flat = values(spec);
      ops.writeAdapter(adapter, flat.subarray(0, adapter.length));
      const gates = spec.gates ? viewGates(flat.slice(adapter.length), config.hiddenSize) : null;
      decoder.useAdapter(adapter, places, gates);
    });

  const generated = async (options: GenerateOptions, seed = 3): Promise<Generated> => {
    const session = engine.open(seed);
    session.append(prompt(9));
    const result = await session.generate(options);
    session.close();
    return result;
  };

  /** What the trainer gives the tokens from `first` on, at the temperature of the plan. */
  async function scored(ids: readonly number[], first: number, latents?: Latents) {
    const limits = { maxTokens: 64, maxLength: 64 };
    const trainer = new DecoderLoraTrainer(decoder.view(), wide, limits);
    await trainer.setAdapter(values(wide));
    const mask = ids.map((_, i) => Number(i >= first));
    const { temperature } = plan.sampling;
    const sequence = { ids, weights: mask, temperature, ...(latents && { latents }) };
    return trainer.score(packBatch([sequence]));
  }

  const latentsOf = ({ latent: of }: Generated, start: number): Latents => ({
    positions: Int32Array.from({ length: of?.count ?? 0 }, (_, i) => start + i),
    hidden: of?.hidden ?? new Float32Array(),
  });

  it('with a = 1 draws what it draws without gates, bit for bit', async () => {
    await adapt(factors);
    const without = await generated(plan);
    expect(await generated(latent)).toEqual(without);
    await adapt(closed);
    const { latent: read, ...same } = await generated(latent);
    expect(same).toEqual(without);
    expect(read?.count).toBe(10);
    expect(read?.gate).toBe(1);
  });

  it('the trainer gives its tokens the same log-probabilities, from what was kept of them', async () => {
    await adapt(wide);
    const result = await generated(latent);
    expect(result.latent?.gate).toBeGreaterThan(0.5);
    expect(result.latent?.gate).toBeLessThan(0.9);
    const ids = [...prompt(9), ...result.ids];
    const replayed = await scored(ids, 9, latentsOf(result, 9));
    expect(difference(result.logprobs, replayed.logprobs)).toBeLessThan(1e-4);
    expect(difference(result.entropies, replayed.entropies)).toBeLessThan(1e-4);
    const asTokens = await scored(ids, 9);
    expect(difference(result.logprobs, asTokens.logprobs)).toBeGreaterThan(0.01);
  });

  it('expects by the distribution that it draws from: at next to no temperature, the token itself', async () => {
    await adapt(wide);
    const sampling = { ...plan.sampling, temperature: 1e-5 };
    const { ids, latent: read } = await generated({ ...latent, sampling });
    const own = ids.flatMap((id) => [...weights.embed.subarray(id * 16, (id + 1) * 16)]);
    expect(difference(read?.hidden ?? [], own)).toBeLessThan(1e-3);
    const warm = await generated(latent);
    const tokens = warm.ids.flatMap((id) => [...weights.embed.subarray(id * 16, (id + 1) * 16)]);
    expect(difference(warm.latent?.hidden ?? [], tokens)).toBeGreaterThan(0.01);
  });

  it('ends with the thought, and what is read behind it is read as tokens', async () => {
    await adapt(wide);
    const free = await generated(latent);
    const end = free.ids[4] ?? 0;
    const first = free.ids.indexOf(end);
    const stopped = await generated({ ...latent, latent: { stopIds: [end] } });
    expect(stopped.ids.slice(0, first + 1)).toEqual(free.ids.slice(0, first + 1));
    expect(stopped.latent?.count ?? 0).toBe(first);
    const replayed = await scored([...prompt(9), ...stopped.ids], 9, latentsOf(stopped, 9));
    expect(difference(stopped.logprobs, replayed.logprobs)).toBeLessThan(1e-4);
  });

  it('a mixture that waits is read with the text behind it, and goes with a fork', async () => {
    await adapt(wide);
    const session = engine.open(3);
    session.append(prompt(9));
    const thought = await session.generate({ ...latent, maxTokens: 4 });
    const go = async (one: PolicySession, more: number[]): Promise<Generated> => {
      one.append(more);
      const written = await one.generate({ ...plan, maxTokens: 5 });
      one.close();
      return written;
    };
    const fork = await session.fork(8);
    const more = prompt(12, 11);
    for (const [one, text] of [
      [fork, []],
      [session, more],
    ] as const) {
      const written = await go(one, [...text]);
      const ids = [...prompt(9), ...thought.ids, ...text, ...written.ids];
      const replayed = await scored(ids, 13 + text.length, latentsOf(thought, 9));
      expect(difference(written.logprobs, replayed.logprobs)).toBeLessThan(1e-4);
    }
  });

  it('sessions beside it that read tokens are what they are alone, bit for bit', async () => {
    await adapt(wide);
    const alone = await generated(plan, 5);
    const thinking = await generated(latent, 6);
    const together = await Promise.all([generated(latent, 6), generated(plan, 5)]);
    expect(together).toEqual([thinking, alone]);
    expect(together[1]).not.toHaveProperty('latent');
  });
}
