import { expect, it } from 'vitest';
import { Random } from '../../../src/base/random.ts';
import { sourceOf } from '../../../src/policy/checkpoint/tensor-source.ts';
import { initWeights } from '../../../src/policy/checkpoint/weights.ts';
import { initAdapter } from '../../../src/policy/lora/init.ts';
import { adapterSize, loraSize, type LoraSpec } from '../../../src/policy/lora/spec.ts';
import { packBatch, type PackedBatch } from '../../../src/policy/lora/train-batch.ts';
import type { LoraTrainer } from '../../../src/policy/lora/trainer.ts';
import type { Ops } from '../../../src/policy/ops/ops.ts';
import { trainerOn } from './on-ops.ts';

/** What training with latent tokens has to be on every device. */

const config = {
  vocabSize: 40,
  hiddenSize: 16,
  layers: 2,
  heads: 2,
  kvHeads: 1,
  headDim: 8,
  intermediateSize: 24,
  rmsNormEps: 1e-6,
  ropeTheta: 10_000,
  tieWordEmbeddings: true,
  maxPositions: 64,
};
const plain: LoraSpec = { rank: 3, alpha: 6, targets: ['q_proj', 'v_proj', 'down_proj'] };
const limits = { maxTokens: 40, maxLength: 24 };
const width = config.hiddenSize;

const normal = (count: number, spread: number, seed: number): Float32Array => {
  const values = new Float32Array(count);
  new Random(seed).fillNormal(values, spread);
  return values;
};

/** At their first size embeddings and logits are all but equal. */
function weights() {
  const made = initWeights(config, 5);
  for (let i = 0; i < made.flat.length; i++) made.flat[i] = 4 * (made.flat[i] ?? 0);
  return sourceOf(made);
}

/** Two sequences, with latent tokens in the middle of one and at the end of the other. */
const ids = [
  [3, 14, 15, 9, 2, 6, 5],
  [35, 8, 9, 7, 9, 3, 2, 38, 31],
];
const places = [Int32Array.of(2, 3, 5), Int32Array.of(6, 7)];

const batchOf = (latent: boolean): PackedBatch =>
  packBatch(
    ids.map((of, s) => {
      const positions = places[s] ?? new Int32Array();
      return {
        ids: of,
        weights: of.map(() => 1),
        ...(latent && {
          latents: { positions, hidden: normal(positions.length * width, 0.3, 20 + s) },
        }),
      };
    }),
  );

/** Random factors, and gates that let much through. */
function adapter(spec: LoraSpec): Float32Array {
  const flat = initAdapter(config, spec, 1);
  const factors = loraSize(config, spec);
  flat.set(normal(factors, 0.2, 9));
  return flat;
}

const coefficients = (count: number): Float32Array =>
  Float32Array.from({ length: count }, (_, i) => [0.7, -0.4, 0, 1.1, -0.2][i % 5] ?? 0);

/** @param open operations of the device, which a trainer takes over */
export function latentCases(open: () => Promise<Ops>): void {
  const trainerOf = async (spec: LoraSpec): Promise<LoraTrainer> =>
    trainerOn(await open(), weights(), spec, limits);

  it('with a = 1 scores and learns as on tokens, bit for bit', async () => {
    const gated = { ...plain, gates: { rMin: 1, rMax: 1 } };
    const [without, withGates] = [await trainerOf(plain), await trainerOf(gated)];
    const flat = adapter(gated);
    await without.setAdapter(flat.subarray(0, loraSize(config, plain)));
    await withGates.setAdapter(flat);
    const [tokens, latent] = [batchOf(false), batchOf(true)];
    const given = coefficients(tokens.rows.length);
    expect(await withGates.accumulate(latent, () => given)).toEqual(
      await without.accumulate(tokens, () => given),
    );
    const gradient = await withGates.gradients();
    const wanted = await without.gradients();
    expect(gradient.subarray(0, wanted.length)).toEqual(wanted);
    expect(gradient.length).toBe(adapterSize(config, gated));
    expect(gradient.subarray(wanted.length).every((value) => value === 0)).toBe(true);
  });

  it('has the gradient of finite differences, by factors and by gates', async () => {
    const spec = { ...plain, gates: { rMin: 0.5, rMax: 0.9 } };
    const trainer = await trainerOf(spec);
    const flat = adapter(spec);
    const batch = batchOf(true);
    const given = coefficients(batch.rows.length);
    await trainer.setAdapter(flat);
    await trainer.accumulate(batch, () => given);
    const gradient = await trainer.gradients();
    const loss = async (values: Float32Array): Promise<number> => {
      await trainer.setAdapter(values);
      const { logprobs } = await trainer.score(batch);
      return logprobs.reduce((sum, value, i) => sum - (given[i] ?? 0) * value, 0);
    };
    const factors = loraSize(config, spec);
    // Along random directions: single entries drown in the rounding of 32 bits.
    for (let n = 0; n < 6; n++) {
      const direction = normal(flat.length, 1, 50 + n);
      if (n % 2 === 0) direction.fill(0, 0, factors);
      else direction.fill(0, factors);
      const h = n % 2 === 0 ? 4e-3 : 1e-3;
      const moved = (by: number): Float32Array =>
        flat.map((value, i) => value + by * (direction[i] ?? 0));
      const slope = ((await loss(moved(h))) - (await loss(moved(-h)))) / (2 * h);
      const wanted = direction.reduce((sum, value, i) => sum + value * (gradient[i] ?? 0), 0);
      expect(Math.abs(wanted), `direction ${n} says something`).toBeGreaterThan(0.01);
      expect(Math.abs(slope - wanted) / (1 + Math.abs(wanted)), `direction ${n}`).toBeLessThan(
        0.02,
      );
    }
  });

  it('the reference reads the tokens themselves', async () => {
    const trainer = await trainerOf({ ...plain, gates: { rMin: 0.5, rMax: 0.9 } });
    await trainer.setAdapter(null);
    expect(await trainer.score(batchOf(true))).toEqual(await trainer.score(batchOf(false)));
  });

  it('other latents give other scores, and none give those of the tokens', async () => {
    const spec = { ...plain, gates: { rMin: 0.5, rMax: 0.9 } };
    const [gated, without] = [await trainerOf(spec), await trainerOf(plain)];
    const flat = adapter(spec);
    await gated.setAdapter(flat);
    await without.setAdapter(flat.subarray(0, loraSize(config, plain)));
    const tokens = await without.score(batchOf(false));
    expect(await gated.score(batchOf(false))).toEqual(tokens);
    expect((await gated.score(batchOf(true))).logprobs).not.toEqual(tokens.logprobs);
  });
}
