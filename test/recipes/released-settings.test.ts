import { describe, expect, it } from 'vitest';
import { sequenceWeights, tokenObjective } from '../../src/learn/objective.ts';
import { getTraining, RECIPES } from '../../src/systems/index.ts';
import { constantsOf } from '../../src/recipes/parts/sources.ts';

/** Settings of training against the scripts and losses that their systems released. */

/** Releases on verl: rollouts that a GPU takes at a time (or this many as its tokens hold), KL in the loss, temperature. */
const VERL: readonly [id: string, microBatch: number, kl: number, temperature: number][] = [
  ['research/grpo', 8, 1e-3, 1],
  ['auto-refine/grpo', 64 / 8, 1e-3, 1],
  ['r-search/grpo', 64 / 8, 1e-3, 1],
  ['step-search/grpo', 16 / 8, 1e-3, 1],
  ['step-search/tf-idf', 16 / 8, 1e-3, 1],
  ['step-search/as-released', 16 / 8, 1e-3, 1],
  ['s3/grpo', 4, 1e-3, 0.6],
  ['s3/as-released', 4, 1e-3, 0.6],
  ['deep-researcher/grpo', 2, 1e-3, 1],
  ['deep-researcher/browse', 2, 1e-3, 1],
  ['in-forage/grpo', 64 / 8, 1e-3, 1],
  ['in-forage/as-released', 64 / 8, 1e-3, 1],
  ['zero-search/grpo', 64 / 4, 1e-3, 1],
  ['zero-search/as-released', 64 / 4, 1e-3, 1],
  ['re-seek/grpo', 8, 1e-3, 1],
  ['verl-tool/grpo', 4, 1e-4, 1],
  ['simple-rl-zoo/medium', 2, 1e-4, 1],
  ['search-r1/grpo', 64 / 8, 1e-3, 1],
  ['search-r1-format/grpo', 64 / 8, 1e-3, 1],
];

describe.each(VERL)('%s', (id, microBatch, coefficient, temperature) => {
  const { objective, ...settings } = getTraining(id);

  it('takes the mean over the tokens of a micro-batch', () => {
    expect(objective).toMatchObject({
      estimator: 'grpo',
      clip: { low: 0.2, high: 0.2 },
      aggregation: { microBatch },
      kl: { form: 'k3', place: 'loss', coefficient },
    });
    expect(settings.temperature).toBe(temperature);
    // Else a rollout that is left over would weigh as much as a whole micro-batch.
    expect((settings.questions * settings.groupSize) % microBatch).toBe(0);
  });

  // Three rollouts of 3, 1 and 2 tokens with advantages 1, −1 and 2, two to a micro-batch. Of the first, ratios 1, 1 and 1.5,
  // which is cut at 1.2; of the second, 0.5, which is cut at 0.8; of the third, 1 and 1, the last with log π_ref − log π = 1.
  it('has the loss that is worked out by hand', () => {
    const own = { ...objective, aggregation: { microBatch: 2 } };
    const rollouts = [
      { advantage: 1, logRatio: [0, 0, Math.log(1.5)], toReference: [0, 0, 0] },
      { advantage: -1, logRatio: [Math.log(0.5)], toReference: [0] },
      { advantage: 2, logRatio: [0, 0], toReference: [0, 1] },
    ];
    const weights = sequenceWeights(own.aggregation, [3, 1, 2]);
    const losses = rollouts.map(
      ({ advantage, logRatio, toReference }, i) =>
        tokenObjective(own, {
          logprob: Float32Array.from(logRatio, () => -2),
          oldLogprob: Float32Array.from(logRatio, (ratio) => -2 - ratio),
          refLogprob: Float32Array.from(toReference, (difference) => -2 + difference),
          advantage,
          weight: weights[i]!,
        }).loss,
    );
    const first = (-1 - 1 - 1.2 + 0.8) / 4;
    // k3: e − 1 − 1.
    const second = (-2 - 2 + coefficient * 0.718281828) / 2;
    expect(losses.reduce((sum, loss) => sum + loss, 0)).toBeCloseTo((first + second) / 2, 6);
  });
});

it('R1-Searcher as released is the run of its two Llama scripts', () => {
  const { stages, objective, updates } = getTraining('r1-searcher/as-released');
  expect(stages.map(({ reward }) => reward)).toEqual([
    'r1-searcher-stage-1-released',
    'r1-searcher-stage-2-instruct',
  ]);
  expect(updates).toBe(4);
  // --advantage_estimator group_norm, KL=0.0001; k2 in the loss has the gradient of k1 in the rewards.
  expect(objective).toMatchObject({
    estimator: 'grpo',
    aggregation: 'sequence-mean',
    kl: { form: 'k2', place: 'loss', coefficient: 1e-4 },
  });
});

it.each(['ur2/paper', 'ur2-released/two-stages'])(
  '%s draws mathematics 1 : 1 : 1 and all else 7 : 2 : 1',
  (id) => {
    expect(getTraining(id).curriculum.system).toMatchObject({
      tasks: { qa: 1, arithmetic: 1, choice: 1 },
      mix: { qa: [7, 2, 1], arithmetic: [1, 1, 1], choice: [7, 2, 1] },
    });
  },
);

it('ARENA has the defaults of the TRL that its code brings, and names those files', () => {
  const { objective, temperature } = getTraining('arena/grpo');
  expect(temperature).toBe(0.9);
  expect(objective).toMatchObject({
    clip: { low: 0.2, high: 0.2 },
    aggregation: { microBatch: 4 },
    kl: { form: 'k2', place: 'loss', coefficient: 0.04 },
  });
  const arena = RECIPES.find(({ id }) => id === 'arena')!;
  const from = new Map(constantsOf(arena).map((one) => [one.constant, one.from]));
  for (const [constant, file] of [
    ['grpo.temperature', 'trl/trl/trainer/grpo_config.py'],
    ['grpo.objective.kl.form', 'trl/trl/trainer/grpo_trainer.py'],
    ['grpo.objective.kl.coefficient', 'trl/trl/trainer/grpo_config.py'],
    ['grpo.groupSize', 'configs/grpo.yaml'],
    ['reward.arena', 'src/evaluate.py'],
  ] as const)
    expect(from.get(constant)).toContain(file);
});
