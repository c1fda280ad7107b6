import { describe, expect, it } from 'vitest';
import type { PolicyConfig } from '../../../src/policy/checkpoint/config.ts';
import { initWeights } from '../../../src/policy/checkpoint/weights.ts';
import { grow, layerPlan, type Vocabulary } from '../../../src/pretrain/policy/grow.ts';
import { Trainer } from '../../../src/pretrain/policy/train.ts';

const config = (layers: number, vocabSize: number): PolicyConfig => ({
  vocabSize,
  hiddenSize: 32,
  layers,
  heads: 2,
  kvHeads: 1,
  headDim: 16,
  intermediateSize: 64,
  rmsNormEps: 1e-6,
  ropeTheta: 10_000,
  tieWordEmbeddings: true,
  maxPositions: 256,
});

/** A vocabulary of spellings; a text is cut into its letters. */
const vocabulary = (spellings: readonly string[]): Vocabulary => {
  const id = (spelling: string): number | undefined => {
    const at = spellings.indexOf(spelling);
    return at < 0 ? undefined : at;
  };
  return {
    size: spellings.length,
    spelling: (at) => spellings[at],
    id,
    isSpecial: (at) => spellings[at]?.startsWith('<') === true,
    text: (at) => spellings[at] ?? '',
    encode: (text) => text.split('').flatMap((letter) => id(letter) ?? []),
  };
};

const OLD = ['<think>', '</think>', 'a', 'b', 'c', 'd', 'e', 'f'];
const NEW = [
  '<think>',
  '</think>',
  '<plan>',
  '</plan>',
  'b',
  'a',
  'c',
  'ab',
  'd',
  'e',
  'f',
  'dead',
  'g',
  'h',
  'i',
  'j',
];

/** Log-probability of each next token. */
const scores = async (c: PolicyConfig, flat: Float32Array, ids: number[], targets: number[]) => {
  const trainer = await Trainer.create(c, { maxTokens: 64, maxLength: 64 });
  trainer.setWeights(flat);
  const rows = Int32Array.from(targets.map((_, i) => i));
  const { nll } = await trainer.evaluate({
    ids: Int32Array.from(ids),
    lengths: Int32Array.from([ids.length]),
    rows,
    targets: Int32Array.from(targets),
    weights: Float32Array.from(targets, () => 1),
  });
  return [...nll];
};

describe('a grown policy', () => {
  it('takes the layers of the smaller one in their order', () => {
    expect(layerPlan(4, 6)).toEqual([0, 1, undefined, 2, 3, undefined]);
    expect(layerPlan(2, 2)).toEqual([0, 1]);
    expect(layerPlan(2, 5)).toEqual([0, undefined, 1, undefined, undefined]);
  });

  it('weighs the tokens that both know as the smaller one does', async () => {
    const old = initWeights(config(2, 8), 3);
    const grown = grow(old, vocabulary(OLD), config(5, 16), vocabulary(NEW), 7);
    const text = ['<think>', 'a', 'c', 'b', 'f', 'e', 'd', '</think>'];
    const ids = (names: readonly string[], all: readonly string[]) =>
      names.map((n) => all.indexOf(n));
    // Differences of log-probabilities are those of logits, whatever else the vocabulary holds.
    const pairs = async (c: PolicyConfig, flat: Float32Array, names: readonly string[]) => {
      const one = await scores(c, flat, ids(text, names), ids(text.slice(1), names));
      const other = await scores(c, flat, ids(text, names), ids(text.slice(1).toReversed(), names));
      return one.map((value, i) => value - (other[i] ?? 0));
    };
    const before = await pairs(old.config, old.flat, OLD);
    const after = await pairs(grown.config, grown.flat, NEW);
    expect(before.some((value) => Math.abs(value) > 0.01)).toBe(true);
    for (const [i, value] of after.entries()) expect(value).toBeCloseTo(before[i] ?? NaN, 4);
  });

  it('gives a new token the mean of its pieces, and a new tag nearly the row of the tag for thoughts', () => {
    const old = initWeights(config(2, 8), 3);
    const { embed } = grow(old, vocabulary(OLD), config(2, 16), vocabulary(NEW), 7);
    const row = (values: Float32Array, at: number) => [...values.subarray(32 * at, 32 * at + 32)];
    const [a, b] = [row(old.embed, 2), row(old.embed, 3)];
    for (const [i, value] of row(embed, 7).entries())
      expect(value).toBeCloseTo(((a[i] ?? 0) + (b[i] ?? 0)) / 2, 6);
    const think = row(old.embed, 0);
    const plan = row(embed, 2);
    expect(plan).not.toEqual(think);
    for (const [i, value] of plan.entries())
      expect(Math.abs(value - (think[i] ?? 0))).toBeLessThan(0.1);
  });

  it('keeps every width', () => {
    const old = initWeights(config(2, 8), 3);
    const wide = { ...config(2, 16), intermediateSize: 128 };
    expect(() => grow(old, vocabulary(OLD), wide, vocabulary(NEW), 7)).toThrow(
      'growing keeps intermediateSize: 64, not 128',
    );
  });
});
