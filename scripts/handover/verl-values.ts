/**
 * What Forage makes of random rollouts, for comparison with verl: advantages, losses, gradients and learning
 * rates, each beside the arguments that the export gives verl for the same settings. Prints JSON.
 */
import { mapToVerl } from '../../src/handover/export/mapping/verl.ts';
import { estimateAdvantages } from '../../src/learn/advantages.ts';
import { klTerm, sequenceWeights, tokenObjective } from '../../src/learn/objective.ts';
import { learningRateAt } from '../../src/learn/schedule.ts';
import { withChanges } from '../../src/learn/settings/edit-settings.ts';
import { randomNumbers } from '../../src/base/random.ts';
import { itemAt } from '../../src/base/items.ts';
import { getTraining } from '../../src/systems/index.ts';
import { groupEstimatorOf, type TrainSettings } from '../../src/recipes/parts/training.ts';
import '../../src/systems/rewards.ts';

const [QUESTIONS, GROUP, STEPS] = [6, 4, 10];
const random = randomNumbers(11);

const sizes = [`questions=${QUESTIONS}`, `groupSize=${GROUP}`, `steps=${STEPS}`];
const settingsOf = (changes: readonly string[]): TrainSettings =>
  withChanges(getTraining('search/grpo'), [...sizes, ...changes]);
const argumentsOf = (settings: TrainSettings, startStep = 0) => {
  const { arguments: values, refusals } = mapToVerl({
    settings,
    maxContext: 1024,
    startStep,
    hasAdapter: false,
  });
  if (refusals.length > 0) throw new Error(JSON.stringify(refusals));
  return values;
};

/** The first group's rewards are all equal. */
const rewards = Array.from({ length: QUESTIONS * GROUP }, (_, i) =>
  i < GROUP ? 1 : Math.round(8 * random()) / 4,
);
const groups = rewards.map((_, i) => Math.floor(i / GROUP));
const sequences = rewards.map(() => {
  const length = 3 + Math.floor(20 * random());
  const logprob = Float32Array.from({ length }, () => -3 * random());
  return {
    logprob,
    // Ratios from e^-1.5 to e^1.5: some beyond every clip.
    old: logprob.map((value) => value + 3 * (random() - 0.5)),
    reference: logprob.map((value) => value + 2 * (random() - 0.5)),
  };
});
const lengths = sequences.map(({ logprob }) => logprob.length);

function advantagesOf({ objective }: TrainSettings): number[] {
  const { kl } = objective;
  const withKl = rewards.map((reward, i) => {
    const { old, reference } = itemAt(sequences, i);
    const cost = old.reduce(
      (sum, value, t) => sum + klTerm(kl.form, value, itemAt(reference, t)).value,
      0,
    );
    return kl.place === 'reward' ? reward - kl.coefficient * cost : reward;
  });
  return [...estimateAdvantages(groupEstimatorOf(objective), withKl, groups, lengths)];
}

function lossOf({ objective }: TrainSettings, advantages: readonly number[]) {
  const weights = sequenceWeights(objective.aggregation, lengths);
  let loss = 0;
  const gradients = sequences.map(({ logprob, old, reference }, i) => {
    const result = tokenObjective(objective, {
      logprob,
      oldLogprob: old,
      refLogprob: objective.kl.place === 'loss' ? reference : null,
      advantage: itemAt(advantages, i),
      weight: itemAt(weights, i),
    });
    loss += result.loss;
    return Array.from(result.coefficients, (value) => -value);
  });
  return { loss, gradients };
}

const product = (...lists: (readonly string[])[]): string[][] =>
  lists.reduce<string[][]>(
    (all, list) => all.flatMap((one) => list.map((item) => [...one, item])),
    [[]],
  );
/** Settings are JSON, and those that name nothing are left out. */
const named = (changes: readonly string[]): string[] =>
  changes.flatMap((change) => change.split(' ')).filter((change) => change !== '');

const LOSSES = product(
  ['token-mean', 'sequence-mean', '{"constant":64}'].map((name) => `objective.aggregation=${name}`),
  [
    'objective.kl.place=off',
    ...['k1', 'k2', 'k3'].map(
      (form) => `objective.kl.place=loss objective.kl.form=${form} objective.kl.coefficient=0.05`,
    ),
  ],
  [
    'objective.clip.high=0.28',
    'objective.clip.high=0.28 objective.dualClip=3',
    'objective.clip=null',
  ],
).map(named);
const ADVANTAGES = product(
  ['grpo', 'dr-grpo', 'rloo', 'reinforce++-baseline'].map((name) => `objective.estimator=${name}`),
  [
    '',
    ...['k1', 'k2', 'k3'].map(
      (form) => `objective.kl.place=reward objective.kl.form=${form} objective.kl.coefficient=0.1`,
    ),
  ],
).map(named);
const RATES: [string[], number][] = [
  ...product(
    ['constant', 'cosine'].map((name) => `optimizer.schedule=${name}`),
    ['0', '1', '5'].map((steps) => `optimizer.warmUpSteps=${steps}`),
  ).map((changes): [string[], number] => [changes, 0]),
  [['optimizer.warmUpSteps=3'], 4],
];

process.stdout.write(
  JSON.stringify({
    rewards,
    groups,
    sequences: sequences.map((one) =>
      Object.fromEntries(Object.entries(one).map(([name, values]) => [name, [...values]])),
    ),
    losses: LOSSES.map((changes) => {
      const settings = settingsOf(changes);
      const advantages = advantagesOf(settings);
      return {
        changes,
        arguments: argumentsOf(settings),
        advantages,
        ...lossOf(settings, advantages),
      };
    }),
    advantages: ADVANTAGES.map((changes) => {
      const settings = settingsOf(changes);
      return { changes, arguments: argumentsOf(settings), advantages: advantagesOf(settings) };
    }),
    rates: RATES.map(([changes, startStep]) => {
      const settings = settingsOf(changes);
      const rates = Array.from({ length: STEPS - startStep }, (_, i) =>
        learningRateAt(settings.optimizer, startStep + i + 1, STEPS),
      );
      return { changes, arguments: argumentsOf(settings, startStep), rates };
    }),
  }),
);
