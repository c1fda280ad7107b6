/**
 * Losses and gradients of Forage for made-up log-probabilities, with the arguments that an export gives
 * the trainer for the same objective:
 *
 *     tsx scripts/handover/objective-cases.ts OUT.json TRAINER
 */
import { writeFileSync } from 'node:fs';
import { TRAINERS, type Trainer } from '../../src/handover/export/parts/experiment.ts';
import type { Mapping, MappingInput } from '../../src/handover/export/mapping/mapping.ts';
import { mapToTrl } from '../../src/handover/export/mapping/trl.ts';
import { mapToVerl } from '../../src/handover/export/mapping/verl.ts';
import { Random } from '../../src/base/random.ts';
import { itemAt } from '../../src/base/items.ts';
import { estimateAdvantages } from '../../src/learn/advantages.ts';
import { sequenceWeights, tokenObjective } from '../../src/learn/objective.ts';
import { getTraining } from '../../src/systems/index.ts';
import { groupEstimatorOf, type TrainSettings } from '../../src/recipes/parts/training.ts';
import '../../src/systems/rewards.ts';

const MAPS: Readonly<Record<Trainer, (input: MappingInput) => Mapping<unknown>>> = {
  trl: mapToTrl,
  verl: mapToVerl,
};

const [out, to] = process.argv.slice(2);
const trainer = TRAINERS.find((name) => name === to);
if (out === undefined || !trainer)
  throw new Error(`objective-cases.ts OUT.json ${TRAINERS.join('|')}`);

const [QUESTIONS, GROUP] = [6, 4];
const random = new Random(12_345);
const rollouts = QUESTIONS * GROUP;
const groups = Array.from({ length: rollouts }, (_, i) => Math.floor(i / GROUP));
// One group whose rewards are all equal.
const rewards = groups.map((group) => (group === 0 ? 1 : Math.round(random.uniform() * 8) / 4));
const lengths = groups.map(() => 3 + Math.floor(random.uniform() * 20));
/** Ratios from e^−1.5 to e^1.5, so that each clip and the dual clip stop some tokens. */
const sequences = lengths.map((length) => {
  const logprob = Array.from({ length }, () => Math.fround(-3 * random.uniform()));
  const away = (by: number) => logprob.map((p) => Math.fround(p + by * (2 * random.uniform() - 1)));
  return { logprob, old: away(1.5), ref: away(1) };
});

type Objective = TrainSettings['objective'];

function casesOf(base: Objective): Objective[] {
  const clips = [null, { low: 0.2, high: 0.2 }, { low: 0.2, high: 0.28 }];
  return (['grpo', 'dr-grpo'] as const).flatMap((estimator) =>
    (['token-mean', { microBatch: 8 }, 'sequence-mean', { constant: 64 }] as const).flatMap(
      (aggregation) =>
        clips.flatMap((clip) =>
          [null, 3].flatMap((dualClip) =>
            (['off', 'loss'] as const).map((place) => ({
              ...base,
              estimator,
              aggregation,
              clip,
              dualClip,
              kl: { form: 'k3' as const, place, coefficient: place === 'off' ? 0 : 0.05 },
            })),
          ),
        ),
    ),
  );
}

function measured(objective: Objective) {
  const advantages = estimateAdvantages(groupEstimatorOf(objective), rewards, groups, lengths);
  const { aggregation, kl } = objective;
  const weights = sequenceWeights(aggregation, lengths);
  const results = sequences.map(({ logprob, old, ref }, i) =>
    tokenObjective(objective, {
      logprob: Float32Array.from(logprob),
      oldLogprob: Float32Array.from(old),
      refLogprob: kl.place === 'off' ? null : Float32Array.from(ref),
      advantage: itemAt(advantages, i),
      weight: itemAt(weights, i),
    }),
  );
  return {
    advantages: [...advantages],
    loss: results.reduce((sum, { loss }) => sum + loss, 0),
    gradient: results.map(({ coefficients }) => Array.from(coefficients, (value) => -value)),
    clipped: results.reduce((sum, { clipped }) => sum + clipped, 0),
  };
}

const settings = { ...getTraining('search/grpo'), questions: QUESTIONS, groupSize: GROUP };
const cases = casesOf(settings.objective).flatMap((objective) => {
  const input = { settings: { ...settings, objective }, maxContext: 1024, startStep: 0 };
  const mapping = MAPS[trainer]({ ...input, hasAdapter: false });
  if (mapping.refusals.length > 0) return [];
  return [{ objective, arguments: mapping.arguments, ...measured(objective) }];
});
writeFileSync(out, JSON.stringify({ rewards, groups, lengths, sequences, cases }));
console.log(`${cases.length} objectives`);
