import { beforeAll, describe, expect, it } from 'vitest';
import { Random } from '../../../src/base/random.ts';
import { initAdapter } from '../../../src/policy/lora/init.ts';
import { mergeAdapter } from '../lora/merge-adapter.ts';
import { readPeft } from '../../../src/policy/lora/peft.ts';
import { LORA_TARGETS, loraSize, loraSlots, type LoraSpec } from '../../../src/policy/lora/spec.ts';
import {
  packBatch,
  type PackedBatch,
  type TrainLimits,
} from '../../../src/policy/lora/train-batch.ts';
import type { LoraTrainer } from '../../../src/policy/lora/trainer.ts';
import { Decoder } from '../../../src/policy/model/decoder.ts';
import { planDecoder } from '../../../src/policy/model/plan.ts';
import { stepBytes } from '../../../src/policy/model/training-memory.ts';
import { DecoderLoraTrainer } from '../../../src/policy/model/trainer.ts';
import { MemoryError } from '../../../src/policy/ops/faults.ts';
import type { Ops } from '../../../src/policy/ops/ops.ts';
import { plannedOps } from '../../../src/policy/ops/planned.ts';
import { createLoraTrainer } from '../create-lora-trainer.ts';
import { Trainer } from '../../../src/pretrain/policy/train.ts';
import {
  initWeights,
  viewWeights,
  type PolicyWeights,
} from '../../../src/policy/checkpoint/weights.ts';
import { wasmSizes } from '../../../src/policy/wasm/planned.ts';
import { relativeError, unweighted } from '../lora/numbers.ts';
import { loadLoraFixture } from '../../fixtures/qwen3-lora/load.ts';

const trainerOf = (
  weights: PolicyWeights,
  spec: LoraSpec,
  limits: TrainLimits,
): Promise<LoraTrainer> => createLoraTrainer(weights, spec, limits, 'wasm');

const limits = { maxTokens: 80, maxLength: 40 };
const fixture = loadLoraFixture();
const adapter = readPeft(fixture.config, fixture.files);

describe('against PyTorch and PEFT', () => {
  const { expected, weights, config } = fixture;
  const batch = unweighted(expected.sequences);
  const rows = (pick: (s: (typeof expected.sequences)[number]) => number[]): number[] =>
    expected.sequences.flatMap((s) => pick(s).slice(1));
  let trainer: LoraTrainer;
  beforeAll(async () => {
    trainer = await trainerOf(weights, adapter.spec, limits);
  });

  it('scores as PEFT does: log-probabilities and entropies', async () => {
    await trainer.setAdapter(adapter.flat);
    const { logprobs, entropies } = await trainer.score(batch);
    rows((s) => s.logprobs).forEach((value, i) => expect(logprobs[i]).toBeCloseTo(value, 3));
    rows((s) => s.entropies).forEach((value, i) => expect(entropies[i]).toBeCloseTo(value, 3));
  });

  it('without the adapter it is the reference policy', async () => {
    await trainer.setAdapter(null);
    const { logprobs } = await trainer.score(batch);
    rows((s) => s.referenceLogprobs).forEach((value, i) =>
      expect(logprobs[i]).toBeCloseTo(value, 3),
    );
    await expect(trainer.accumulate(batch, (s) => s.logprobs)).rejects.toThrow(/switched off/);
  });

  it('has PEFT’s gradients, every tensor to 1e-3', async () => {
    await trainer.setAdapter(adapter.flat);
    trainer.zeroGradients();
    await trainer.accumulate(batch, () => Float32Array.from(rows((s) => s.coefficients)));
    const gradients = await trainer.gradients();
    for (const slot of loraSlots(config, adapter.spec)) {
      const wanted = expected.gradients[slot.name]!;
      const got = gradients.subarray(slot.offset, slot.offset + slot.length);
      expect(relativeError(got, wanted), slot.name).toBeLessThan(1e-3);
    }
  });
});

/** The fixture's shape with an adapter of an odd rank on some targets, all factors random. */
async function small(spec: LoraSpec, layers = 2) {
  const config = { ...fixture.config, layers };
  const weights = initWeights(config, 5);
  const flat = new Float32Array(loraSize(config, spec));
  new Random(9).fillNormal(flat, 0.2);
  const trainer = await trainerOf(weights, spec, limits);
  await trainer.setAdapter(flat);
  return { config, weights, flat, trainer };
}

const sequences = [{ ids: [3, 14, 15, 9, 2, 6, 5] }, { ids: [35, 8, 9, 7, 9, 3, 2, 38, 46] }];
const coefficients = (count: number): Float32Array =>
  Float32Array.from({ length: count }, (_, i) => [0.7, -0.4, 0, 1.1, -0.2][i % 5]!);

describe('gradients', () => {
  const specs: LoraSpec[] = [
    { rank: 3, alpha: 7, targets: ['k_proj', 'up_proj'] },
    { rank: 8, alpha: 8, targets: ['q_proj', 'v_proj', 'o_proj', 'down_proj'] },
    { rank: 10, alpha: 4, targets: [...LORA_TARGETS] },
  ];

  it.each(specs)('are those of full-parameter training, by the chain rule: %o', async (spec) => {
    const { config, weights, flat, trainer } = await small(spec);
    const batch = unweighted(sequences);
    const given = coefficients(batch.rows.length);
    await trainer.accumulate(batch, () => given);
    const got = await trainer.gradients();
    const full = await Trainer.create(config, limits);
    full.setWeights(mergeAdapter(weights, spec, flat).flat);
    await full.accumulate({ ...batch, weights: given });
    const dW = viewWeights(config, Float32Array.from(await full.gradients()));
    const slots = loraSlots(config, spec);
    const scale = spec.alpha / spec.rank;
    for (const slot of slots) {
      const other = slots.find(
        (s) => s.layer === slot.layer && s.target === slot.target && s.factor !== slot.factor,
      )!;
      const short = slot.target.replace('_proj', '') as
        | 'q'
        | 'k'
        | 'v'
        | 'o'
        | 'gate'
        | 'up'
        | 'down';
      const d = dW.layers[slot.layer]![short];
      const fixed = flat.subarray(other.offset, other.offset + other.length);
      const [r, c] = slot.shape;
      const [columns] = slot.factor === 'A' ? [c] : [other.shape[1]];
      // dA = s Bᵀ dW, dB = s dW Aᵀ
      const wanted = Float64Array.from({ length: slot.length }, (_, i) => {
        const [row, column] = [Math.floor(i / c), i % c];
        let sum = 0;
        if (slot.factor === 'A')
          for (let k = 0; k < other.shape[0]; k++)
            sum += fixed[k * r + row]! * d[k * columns + column]!;
        else
          for (let k = 0; k < columns; k++)
            sum += d[row * columns + k]! * fixed[column * columns + k]!;
        return scale * sum;
      });
      expect(
        relativeError(got.subarray(slot.offset, slot.offset + slot.length), wanted),
        slot.name,
      ).toBeLessThan(1e-3);
    }
  });

  it('are finite differences of the loss', async () => {
    const { flat, trainer } = await small({ rank: 4, alpha: 8, targets: [...LORA_TARGETS] });
    const batch = unweighted(sequences);
    const given = coefficients(batch.rows.length);
    await trainer.accumulate(batch, () => given);
    const gradient = await trainer.gradients();
    const loss = async (values: Float32Array): Promise<number> => {
      await trainer.setAdapter(values);
      const { logprobs } = await trainer.score(batch);
      return logprobs.reduce((sum, value, i) => sum - given[i]! * value, 0);
    };
    // Along random directions: single entries drown in the rounding of 32 bits.
    const random = new Random(3);
    for (let n = 0; n < 6; n++) {
      const direction = new Float32Array(flat.length);
      random.fillNormal(direction, 1);
      const h = 2e-3;
      const up = await loss(flat.map((v, i) => v + h * direction[i]!));
      const down = await loss(flat.map((v, i) => v - h * direction[i]!));
      const wanted = direction.reduce((sum, v, i) => sum + v * gradient[i]!, 0);
      expect((up - down) / (2 * h)).toBeCloseTo(wanted, 1);
    }
  });

  it('add up over micro-batches, and start from zero when asked', async () => {
    const { trainer } = await small({ rank: 4, alpha: 8, targets: ['q_proj', 'down_proj'] });
    const ones = (s: { logprobs: Float32Array }): Float32Array => s.logprobs.map(() => 1);
    await trainer.accumulate(unweighted(sequences), ones);
    const together = await trainer.gradients();
    trainer.zeroGradients();
    for (const sequence of sequences) await trainer.accumulate(unweighted([sequence]), ones);
    expect(relativeError(await trainer.gradients(), together)).toBeLessThan(1e-5);
    trainer.zeroGradients();
    expect((await trainer.gradients()).every((value) => value === 0)).toBe(true);
  });

  it('are the same, bit for bit, whether what layers compute is kept or computed again', async () => {
    const { expected, weights } = fixture;
    const batch = unweighted(expected.sequences);
    const { layers } = weights.config;
    // All layers are kept, as many as a step has room for, and none.
    const { length: rows } = batch.ids;
    const some = stepBytes(weights.config, { rows, positions: 2 * rows }) * (layers - 1);
    const [kept, partly, again] = await Promise.all(
      [undefined, some, 0].map(async (insideBytes) => {
        const own = { ...limits, ...(insideBytes === undefined ? {} : { insideBytes }) };
        const trainer = await trainerOf(weights, adapter.spec, own);
        await trainer.setAdapter(adapter.flat);
        trainer.zeroGradients();
        const scores = await trainer.accumulate(batch, ({ logprobs }) => logprobs);
        const gradients = await trainer.gradients();
        const bytes = trainer.bytes;
        trainer.dispose();
        return { scores, gradients, bytes };
      }),
    );
    for (const one of [kept, partly]) {
      expect(one?.scores).toEqual(again?.scores);
      expect(one?.gradients).toEqual(again?.gradients);
    }
    // What a step held is free after it.
    expect(partly?.bytes).toBe(again?.bytes);
    expect(kept?.gradients.some((value) => value !== 0)).toBe(true);
    // Else both would have been the same way.
    expect(kept?.bytes).toBeGreaterThan(again?.bytes ?? Infinity);
  });

  it('repeat bit for bit', async () => {
    const run = async (): Promise<Float32Array> => {
      const { trainer } = await small({ rank: 4, alpha: 8, targets: [...LORA_TARGETS] });
      await trainer.accumulate(unweighted(sequences), (s) => s.entropies);
      return trainer.gradients();
    };
    expect(await run()).toEqual(await run());
  });
});

describe('the adapter', () => {
  const spec: LoraSpec = { rank: 4, alpha: 8, targets: [...LORA_TARGETS] };

  it('as it begins changes nothing', async () => {
    const { config, trainer } = await small(spec);
    const batch = unweighted(sequences);
    await trainer.setAdapter(null);
    const reference = await trainer.score(batch);
    await trainer.setAdapter(initAdapter(config, spec, 1));
    const fresh = await trainer.score(batch);
    expect(fresh).toEqual(reference);
  });

  it('must have the right number of values', async () => {
    const { trainer } = await small(spec);
    await expect(trainer.setAdapter(new Float32Array(3))).rejects.toThrow(/3 values given/);
  });

  it('refuses what is over the limits', async () => {
    const { trainer } = await small(spec);
    const long = { ids: Array.from({ length: 41 }, () => 1) };
    await expect(trainer.score(unweighted([long]))).rejects.toThrow(/41 tokens, the limit is 40/);
    await expect(
      trainer.accumulate(unweighted(sequences), () => new Float32Array(1)),
    ).rejects.toThrow(/one coefficient per row/);
  });
});

describe('the head in chunks', () => {
  it.each([
    ['at one temperature', () => ({})],
    ['at several temperatures', (s: number) => ({ temperature: 0.5 + s / 8 })],
  ])('gives a row the same scores in every chunk, and gradients that add up: %s', async (_, at) => {
    const spec: LoraSpec = { rank: 4, alpha: 8, targets: ['v_proj', 'gate_proj'] };
    const room = { maxTokens: 10 * 30, maxLength: 30 };
    const trainer = await trainerOf(fixture.weights, spec, room);
    const flat = new Float32Array(loraSize(fixture.config, spec));
    new Random(2).fillNormal(flat, 0.2);
    await trainer.setAdapter(flat);
    // 10 sequences of 29 rows: 290 rows, more than one chunk of 192 that ends inside a sequence.
    const many = Array.from({ length: 10 }, (_unused, s) => ({
      ids: Array.from({ length: 30 }, (__, i) => (i * 7 + s * 13) % 64),
      ...at(s),
    }));
    const batchOf = (some: readonly { ids: number[] }[]): PackedBatch =>
      packBatch(some.map((one) => ({ ...one, weights: one.ids.map(() => 1) })));
    const whole = await trainer.accumulate(batchOf(many), (s) => s.entropies);
    expect(whole.logprobs.length).toBe(290);
    const together = await trainer.gradients();
    trainer.zeroGradients();
    for (const [s, sequence] of many.entries()) {
      const alone = await trainer.accumulate(batchOf([sequence]), (scores) => scores.entropies);
      expect(alone.logprobs).toEqual(whole.logprobs.slice(29 * s, 29 * (s + 1)));
      expect(alone.entropies).toEqual(whole.entropies.slice(29 * s, 29 * (s + 1)));
    }
    expect(relativeError(await trainer.gradients(), together)).toBeLessThan(1e-5);
  });
});

it('scores many short sequences, with all the gaps between them, as each alone', async () => {
  const spec: LoraSpec = { rank: 2, alpha: 2, targets: ['q_proj'] };
  const trainer = await trainerOf(fixture.weights, spec, { maxTokens: 200, maxLength: 30 });
  await trainer.setAdapter(null);
  const many = Array.from({ length: 100 }, (_, s) => ({ ids: [s % 64, (7 * s) % 64] }));
  const { logprobs } = await trainer.score(unweighted(many));
  for (const s of [0, 50, 99]) {
    const alone = await trainer.score(unweighted(many.slice(s, s + 1)));
    expect(alone.logprobs).toEqual(logprobs.slice(s, s + 1));
  }
  // What it grew to serves the next batch.
  const { bytes } = trainer;
  await trainer.score(unweighted(many));
  expect(trainer.bytes).toBe(bytes);
});

it('refuses a rank that no adapter has, and no targets', async () => {
  const make = (rank: number, targets: LoraSpec['targets']): Promise<LoraTrainer> =>
    trainerOf(fixture.weights, { rank, alpha: 8, targets }, limits);
  await expect(make(0, ['q_proj'])).rejects.toThrow(/rank/);
  await expect(make(4, [])).rejects.toThrow(/no target/);
});

it('has gradients also for a rank above every width', async () => {
  const spec: LoraSpec = { rank: 300, alpha: 300, targets: ['q_proj'] };
  const { trainer } = await small(spec);
  await trainer.accumulate(unweighted(sequences), (s) => s.logprobs.map(() => 1));
  const gradients = await trainer.gradients();
  expect(gradients.every(Number.isFinite) && gradients.some((v) => v !== 0)).toBe(true);
});

it('a layer more costs its weights, its adapter and one [tokens, hidden] tensor, where no more is kept', async () => {
  const spec: LoraSpec = { rank: 8, alpha: 8, targets: ['q_proj'] };
  const bytesOf = async (layers: number, maxTokens: number): Promise<number> => {
    const weights = initWeights({ ...fixture.config, layers }, 1);
    return (await trainerOf(weights, spec, { maxTokens, maxLength: 40, insideBytes: 0 })).bytes;
  };
  const perLayer = async (tokens: number): Promise<number> =>
    (await bytesOf(6, tokens)) - (await bytesOf(5, tokens));
  // What grows with the tokens is 4 bytes a hidden value, and the padding of one region.
  const growth = (await perLayer(1080)) - (await perLayer(80));
  expect(Math.abs(growth - 1000 * fixture.config.hiddenSize * 4)).toBeLessThanOrEqual(128);
});

it('leaves nothing on a device that has no room for all of a trainer', () => {
  const planned = plannedOps(wasmSizes);
  const decoder = planDecoder(planned, fixture.config, 'f32');
  const before = planned.bytes;
  const limited = (most: number): Ops => {
    let made = 0;
    const activations: Ops['activations'] = (rows, width, label) => {
      if (++made > most) throw new MemoryError(`no memory for ${label}`);
      return planned.activations(rows, width, label);
    };
    return { ...planned, activations };
  };
  for (const most of [0, 1, 4, 9]) {
    const view = new Decoder(limited(most), fixture.config, decoder.weights, false);
    expect(() => new DecoderLoraTrainer(view, adapter.spec, limits)).toThrow(MemoryError);
    expect(planned.bytes).toBe(before);
  }
  void new DecoderLoraTrainer(decoder.view(), adapter.spec, limits);
  expect(planned.bytes).toBeGreaterThan(before);
});
