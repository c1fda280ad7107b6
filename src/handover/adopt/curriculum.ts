import { sum } from '../../base/statistics.ts';
import { asNumber } from '../../formats/rollouts/shape/json.ts';
import { declaredCurriculum } from '../../recipes/parts/system.ts';
import type { Json } from '../../learn/rl/contracts.ts';
import type { AdoptedExperiment } from './input/experiment.ts';
import type { RolloutSource } from './rollouts/source.ts';
import { isObject } from '../../base/objects.ts';

/** Batches that were drawn for a step: dynamic sampling draws more than one. */
function batchesOf(rollouts: RolloutSource | null, runId: string, step: number): number {
  const batches = (rollouts?.facts.get(step) ?? []).flatMap(({ groupId }) => {
    const own = groupId.startsWith(`${runId}-${step}-`)
      ? /^(\d+)-\d+$/.exec(groupId.slice(`${runId}-${step}-`.length))
      : null;
    return own ? [Number(own[1]) + 1] : [];
  });
  return Math.max(1, ...batches);
}

/**
 * The curriculum after a step, so that the next one draws what it would have drawn: its draws are counted,
 * for they follow from the seed. What a server alone knew is said in `notes`.
 */
export function curriculumAfter(
  experiment: AdoptedExperiment,
  rollouts: RolloutSource | null,
  step: number,
  notes: string[],
): Json {
  const { settings, startStep, runId } = experiment;
  const before = isObject(experiment.curriculum) ? experiment.curriculum : {};
  const steps = Array.from({ length: step - startStep }, (_, i) => startStep + 1 + i);
  const draws = sum(steps.map((one) => batchesOf(rollouts, runId, one) * settings.questions));
  const drawn = (asNumber(before['drawn']) ?? 0) + draws;
  switch (settings.curriculum.kind) {
    case 'uniform':
      return { drawn };
    case 'gold-noise': {
      const facts = steps.flatMap((one) => rollouts?.facts.get(one) ?? []);
      const searches = sum(facts.map((fact) => fact.searches ?? 0));
      return { drawn, retrievals: (asNumber(before['retrievals']) ?? 0) + searches };
    }
    case 'system':
      if (!declaredCurriculum(settings.curriculum)?.learns) return { drawn };
      notes.push(
        'What the curriculum learned about its questions stayed on the environment’s server: a continued run starts from the exported curriculum.',
      );
      return experiment.curriculum ?? null;
    case 'difficulty':
      notes.push(
        experiment.curriculum
          ? 'The difficulty curriculum continues from the exported state: the draws of the cluster stayed on its server.'
          : 'The scores of the difficulty curriculum stayed on the environment’s server: a continued run scores the questions again.',
      );
      return experiment.curriculum ?? null;
  }
}
