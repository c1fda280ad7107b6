import { describe, expect, it } from 'vitest';
import { present } from '../../../src/base/items.ts';
import { Random } from '../../../src/base/random.ts';
import { pad } from '../../../src/retrieval/encoder/tokens.ts';
import { decodeState, encodeState } from '../../../src/pretrain/encoder/state-file.ts';
import {
  EncoderTrainer,
  initialState,
  type TrainingBatch,
} from '../../../src/pretrain/encoder/trainer.ts';
import { initialWeights } from '../../../src/pretrain/encoder/initial-weights.ts';
import type { EncoderConfig } from '../../../src/retrieval/encoder/built-in/weights.ts';

const config: EncoderConfig = {
  vocabSize: 20,
  hidden: 8,
  inner: 8,
  layers: 1,
  out: 8,
  maxTokens: 6,
};

/** Queries are one token of their positive; the last passage holds a token of the first query. */
const batch = (shift: number): TrainingBatch => {
  const token = (i: number): number => (i + shift) % 20;
  return {
    queries: pad([[token(1)], [token(2)], [token(3)]], 6, 2),
    passages: pad(
      [
        [token(1), token(7)],
        [token(2), token(8)],
        [token(9), token(3)],
        [token(1), token(4)],
      ],
      6,
      3,
    ),
    ignore: new Float32Array(12),
  };
};

const noise = (): (() => number) => {
  let i = 0;
  return () => Math.sin(++i * 12.9898) * 1.2;
};

const steps = (trainer: EncoderTrainer, count: number): number[] => {
  const losses: number[] = [];
  while (losses.length < count) losses.push(trainer.train(batch(trainer.step % 4), 0.02));
  return losses;
};

describe('training the encoder', () => {
  const start = (state = initialState(initialWeights(config, noise()))): Promise<EncoderTrainer> =>
    EncoderTrainer.create(config, state);

  it('lowers the contrastive loss', async () => {
    const losses = steps(await start(), 60);
    expect(losses.slice(-4).reduce((a, b) => a + b)).toBeLessThan(
      0.5 * losses.slice(0, 4).reduce((a, b) => a + b),
    );
  });

  it('goes on from a checkpoint exactly as if it had not stopped', async () => {
    const whole = await start();
    const expected = steps(whole, 6);
    const first = await start();
    const before = steps(first, 3);
    const file = encodeState(config, first.state());
    const second = await start(decodeState(config, file, 'encoder.state'));
    expect(second.step).toBe(3);
    expect([...before, ...steps(second, 3)]).toEqual(expected);
    expect(second.state()).toEqual(whole.state());
  });

  it('refuses a checkpoint of another shape', async () => {
    const file = encodeState(config, (await start()).state());
    expect(() => decodeState({ ...config, out: 4 }, file, 'encoder.state')).toThrow(
      'encoder.state',
    );
  });

  it('has gradients that are slopes of its loss, parameter by parameter', async () => {
    const weights = initialWeights(config, noise());
    for (const [name, values] of Object.entries(weights))
      if (name.endsWith('Bias')) values.forEach((_, i) => (values[i] = 0.1 * Math.sin(i + 1)));
    // Texts of several lengths, one without tokens, and a passage that is not a negative of the first query.
    const texts = {
      queries: pad([[1, 7, 3], [2], [9, 9]], 6, 4),
      passages: pad([[1, 7, 11, 4, 2], [2, 8], [9, 3, 5], [1, 4, 3], []], 6, 6),
      ignore: Float32Array.from({ length: 15 }, (_, i) => (i === 3 ? 1 : 0)),
    };
    const { gradients } = (await start(initialState(weights))).gradients(texts);
    const random = new Random(4);
    for (const [name, values] of Object.entries(weights)) {
      const direction = values.map(() => random.normal());
      const h = 2e-3 / Math.sqrt(values.length);
      const lossAt = async (step: number): Promise<number> => {
        const moved = values.map((value, i) => value + step * (direction[i] ?? 0));
        const trainer = await start(initialState({ ...weights, [name]: moved }));
        return trainer.gradients(texts).loss;
      };
      const slope = ((await lossAt(h)) - (await lossAt(-h))) / (2 * h);
      const got = present(gradients[name], name);
      const expected = got.reduce((sum, g, i) => sum + g * (direction[i] ?? 0), 0);
      expect(Math.abs(slope - expected), name).toBeLessThan(0.01 * Math.hypot(...got) + 1e-3);
      expect(Math.hypot(...got), name).toBeGreaterThan(1e-3);
    }
  });
});
