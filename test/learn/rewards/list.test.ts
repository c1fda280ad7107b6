import { expect, test } from 'vitest';
import { scorerOf } from '../../../src/evaluate/rollouts/rescore/scorers.ts';
import { scoringFacts } from '../../../src/evaluate/rollouts/rescore/facts.ts';
import { clause } from '../../../src/learn/rewards/parts/clause.ts';
import { weightedReward } from '../../../src/learn/rewards/parts/definition.ts';
import { scoreRollout, totalReward } from '../../../src/learn/rewards/index.ts';
import { registerRewards } from '../../../src/learn/rewards/registry.ts';
import { parseTrainSettings } from '../../../src/learn/settings/edit-settings.ts';
import { getTraining } from '../../../src/systems/index.ts';
import { REWARDS } from '../../../src/systems/rewards.ts';
import { verl } from '../../fixtures/inspect/records.ts';
import { importOne } from '../../formats/rollouts/helpers.ts';
import { made } from './records.ts';

/** A definition that is registered is all that a reward needs. */

const frugal = weightedReward({
  id: 'frugal',
  name: 'Right, and short',
  source: 'made for this test',
  range: [0, 1],
  needs: { short: 'tokens' },
  weights: { right: 0.75, short: 0.25 },
  clauses: (facts, weights) => [
    { ...clause('right', facts.em), weight: weights.right },
    { ...clause('short', facts.tokens < 1000 ? 1 : 0), weight: weights.short },
  ],
});

const stage = { steps: 3, reward: 'frugal', weights: { right: 0.5, short: 0.5 } };
const settings = { ...getTraining('search/grpo'), stages: [stage] };

test('settings take a stage with it, and with its weights, as soon as it is registered', () => {
  expect(() => parseTrainSettings(settings)).toThrow(
    /stages\.0\.reward: unknown reward "frugal"; there are \d+, such as kunlun-short/,
  );
  registerRewards([frugal]);
  expect(parseTrainSettings(settings).stages).toEqual([stage]);
});

test('a rollout is scored by it: 0.75 · 0 + 0.25 · 1, or as a stage weighs it', () => {
  registerRewards([frugal]);
  const wrong = made({ answer: null });
  const total = (weights = {}): number => totalReward(scoreRollout(wrong, 'frugal', weights));
  expect(total()).toBe(0.25);
  expect(total({ right: 0.9, short: 0.1 })).toBeCloseTo(0.1, 12);
  expect(() => total({ right: 0.9 })).toThrow(/must sum to 1, they sum to 1.1500/);
  expect(() => total({ wrong: 1 })).toThrow(/no clause "wrong" to weight; it has right, short/);
});

test('a foreign file is scored by it, without the clause that its missing tokens cannot give', async () => {
  const { clauses, lacks } = scorerOf(frugal).score(scoringFacts(await importOne(verl)));
  expect(clauses.map((one) => [one.clause, one.value, one.weight])).toEqual([['right', 1, 0.75]]);
  expect(lacks).toEqual(['short: the file has no tokens to count']);
});

test('no two rewards share an id, and each worst total is below its best', () => {
  expect(new Set(REWARDS.map(({ id }) => id)).size).toBe(REWARDS.length);
  expect(REWARDS.filter(({ range: [worst, best] }) => worst >= best)).toEqual([]);
});
