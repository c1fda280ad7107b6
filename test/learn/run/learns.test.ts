import { describe, expect, it, vi } from 'vitest';
import type { TrainSettings } from '../../../src/recipes/parts/training.ts';
import type { Question } from '../../../src/records/records.ts';
import { initWeights, type PolicyWeights } from '../../../src/policy/checkpoint/weights.ts';
import { itemAt } from '../../../src/base/items.ts';
import { mean } from '../../../src/base/statistics.ts';
import { tokenizer } from '../../agent/tokenizer.ts';
import { ALL_TESTS } from '../../slow/slow.ts';
import { tinySettings, tinyWeights, trainTiny } from '../rl/helpers.ts';

vi.setConfig({ testTimeout: 240_000 });

/*
 * The whole loop, with its engine, trainer and kernels, on a task that is small enough to be learned in
 * seconds: an untrained model answers one of two words to four questions, of which half want the one.
 * The same answer to all of them earns ½ at most, so that more can only come of the rewards. On WASM
 * a seed gives the same run every time.
 */

/** Words that are one token, a space in front. */
const WORDS = Array.from({ length: tokenizer.vocabSize }, (_, id) => ({
  id,
  text: tokenizer.decode([id]),
})).filter(({ text }) => /^ [a-z]{4,}$/.test(text));
const word = (place: number): { id: number; text: string } => itemAt(WORDS, place, 'words');

const ANSWERS = [word(0), word(1)];

/** Four questions of one word each, said four times; the two answers in turn. */
const QUESTIONS = Array.from({ length: 4 }, (_, i): Question => ({
  id: String(i),
  text: word(10 + i)
    .text.repeat(4)
    .trim(),
  answers: [itemAt(ANSWERS, i % 2).text.trim()],
  supporting: [],
}));

/** What closes the box of an answer. */
const [CLOSE = 0] = tokenizer.encodeText(' }');

/**
 * An untrained layer that says one of the two answers, each as often, whatever was asked, and then closes the box. Three
 * dimensions of a token are set and left by the layer as they are: the first is the same for all, so that
 * the head's column of it is a bias; the second tells the answers from other tokens; the third, in which
 * the head tells them from each other, is nothing until an adapter writes to it.
 */
function oneOfTwo(): PolicyWeights {
  const weights = initWeights(tinyWeights().config, 3);
  const { vocabSize, hiddenSize } = weights.config;
  const answers = ANSWERS.map(({ id }) => id);
  const set = (matrix: Float32Array, token: number, ...values: number[]): void =>
    matrix.set(values, token * hiddenSize);
  for (let token = 0; token < vocabSize; token++) {
    set(weights.embed, token, 0.1, 0, 0);
    set(weights.head, token, 0, 0, 0);
  }
  for (const { o, down } of weights.layers)
    for (const matrix of [o, down]) {
      for (let i = 0; i < matrix.length; i++) matrix[i] = 0.1 * (matrix[i] ?? 0);
      matrix.fill(0, 0, (3 * matrix.length) / hiddenSize);
    }
  // Questions differ much.
  for (let i = 10; i < 14; i++) {
    const from = word(i).id * hiddenSize;
    for (let k = from + 3; k < from + hiddenSize; k++)
      weights.embed[k] = 8 * (weights.embed[k] ?? 0);
  }
  for (const [i, id] of answers.entries()) {
    set(weights.embed, id, 0.1, 0.3, 0);
    weights.head.fill(0, id * hiddenSize, (id + 1) * hiddenSize);
    set(weights.head, id, 14, -14, i === 0 ? 3 : -3);
  }
  set(weights.head, CLOSE, 0, 14, 0);
  return weights;
}

const settingsOf = (change: Partial<TrainSettings>): TrainSettings =>
  tinySettings({
    recipe: 'naive-generation',
    overrides: { budgets: { tokens: 8, stepTokens: 8, answerTokens: 2 } },
    stages: [{ steps: 1, reward: 'em', weights: {} }],
    steps: 30,
    questions: 4,
    groupSize: 8,
    updates: 1,
    overlong: null,
    heldOut: { questions: 0, every: 100, temperature: 1 },
    checkpointEvery: 100,
    ...change,
  });

/** Mean reward of the first three steps and of the last ten. */
async function rewardsOf(change: Partial<TrainSettings>): Promise<{ first: number; last: number }> {
  const base = settingsOf(change);
  const settings = {
    ...base,
    optimizer: { ...base.optimizer, learningRate: 0.0015, warmUpSteps: 0 },
  };
  const world = {
    questions: QUESTIONS,
    retriever: { search: () => Promise.reject(new Error('nothing is searched here')) },
  };
  const { steps } = await trainTiny({ settings, world, weights: oneOfTwo() });
  const rewards = steps.map(({ reward }) => reward.mean);
  return { first: mean(rewards.slice(0, 3)), last: mean(rewards.slice(-10)) };
}

const SEEDS = ALL_TESTS ? [1, 2] : [1];

describe('a short training', () => {
  it.each(SEEDS)('raises the reward, seed %i', async (seed) => {
    const { first, last } = await rewardsOf({ seed });
    expect(first).toBeLessThan(0.7);
    expect(last).toBeGreaterThan(0.9);
  });

  it.each(SEEDS)('does not where rewards are shuffled, seed %i', async (seed) => {
    const { last } = await rewardsOf({ seed, shuffleRewards: true });
    expect(last).toBeLessThan(0.7);
  });
});
