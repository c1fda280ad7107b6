import { expect, test } from 'vitest';
import {
  countMissing,
  lacksLine,
  type MissingParts,
} from '../../../src/evaluate/rollouts/missing-parts.ts';
import { ownLines, importOne } from '../../formats/rollouts/helpers.ts';

const lineOf = async (...records: object[]): Promise<string | null> => {
  const counts: MissingParts = {};
  for (const record of records) countMissing(counts, await importOne(record));
  return lacksLine(counts, records.length);
};

test('our own rollouts lack nothing', async () => {
  const lines = ownLines().map((line) => ({ ...(JSON.parse(line) as object), advantage: 0.5 }));
  const rewarded = lines.map((line) => ({ ...line, reward: 1 }));
  expect(await lineOf(...rewarded)).toBeNull();
});

test('what no rollout has, and what some lack', async () => {
  const whole = {
    prompt: 'Question: who?',
    response: 'It is x.',
    response_tokens: ['It is', ' x.'],
    logprobs: [-1, -2],
    advantages: [0.5, 0.5],
    reward: 1,
    ground_truth: 'x',
  };
  const { reward: _, ...bare } = whole;
  expect(await lineOf(whole, bare)).toBe('steps; a total reward in 1 of 2');
  expect(await lineOf({ input: 'who?', output: 'x' })).toBe(
    'steps, gold answers, a total reward, advantages, tokens and log-probabilities',
  );
  expect(await lineOf({ ...whole, step: 1 })).toBeNull();
});
