import { beforeAll, describe, expect, it } from 'vitest';
import { pad } from '../../../src/retrieval/encoder/tokens.ts';
import { decodeState, encodeState } from '../../../src/pretrain/encoder/state-file.ts';
import type {
  EncoderTrainer,
  TrainerState,
  TrainingBatch,
} from '../../../src/pretrain/encoder/trainer.ts';
import { initialWeights, type EncoderConfig } from '../../../src/pretrain/encoder/weights.ts';

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

const steps = async (trainer: EncoderTrainer, count: number): Promise<number[]> => {
  const losses: number[] = [];
  while (losses.length < count) losses.push(await trainer.train(batch(trainer.step % 4), 0.02));
  return losses;
};

describe('training the encoder', () => {
  let start: (state?: TrainerState) => EncoderTrainer;
  beforeAll(async () => {
    if (!('navigator' in globalThis)) {
      Object.assign(globalThis, { navigator: { hardwareConcurrency: 1 } });
    }
    const jax = await import('@jax-js/jax');
    await jax.init('wasm');
    jax.defaultDevice('wasm');
    const { EncoderTrainer, initialState } =
      await import('../../../src/pretrain/encoder/trainer.ts');
    start = (state = initialState(initialWeights(config, noise()))) =>
      new EncoderTrainer(config, state);
  }, 60_000);

  it('lowers the contrastive loss', async () => {
    const losses = await steps(start(), 60);
    expect(losses.slice(-4).reduce((a, b) => a + b)).toBeLessThan(
      0.5 * losses.slice(0, 4).reduce((a, b) => a + b),
    );
  });

  it('goes on from a checkpoint exactly as if it had not stopped', async () => {
    const whole = start();
    const expected = await steps(whole, 6);
    const first = start();
    const before = await steps(first, 3);
    const file = encodeState(config, await first.state());
    const second = start(decodeState(config, file, 'encoder.state'));
    expect(second.step).toBe(3);
    expect([...before, ...(await steps(second, 3))]).toEqual(expected);
    expect(await second.state()).toEqual(await whole.state());
  });

  it('refuses a checkpoint of another shape', async () => {
    const file = encodeState(config, await start().state());
    expect(() => decodeState({ ...config, out: 4 }, file, 'encoder.state')).toThrow(
      'encoder.state',
    );
  });
});
