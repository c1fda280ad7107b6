import { groupBy, itemAt } from '../../base/items.ts';
import { mean, moments, sum } from '../../base/statistics.ts';
import { stageAt } from '../../learn/schedule.ts';
import type { HeldOutScore, TrainStep } from '../../records/training.ts';
import type { AdoptedExperiment } from './experiment.ts';
import type { Metrics, StepMetrics } from './metrics.ts';
import type { RolloutFact } from './rollouts/facts.ts';
import type { RolloutSource } from './rollouts/source.ts';

/** `forage.step/1` of the result: counted over the rollouts where they are there, else as it was logged. */

type MaybeNumber = number | null;

/** Mean over the rollouts that say it; null where fewer than all that could do. */
function meanOf(
  facts: readonly RolloutFact[],
  of: (fact: RolloutFact) => MaybeNumber,
): MaybeNumber {
  const values = facts.flatMap((fact) => of(fact) ?? []);
  return values.length === 0 ? null : mean(values);
}

/** As `meanOf`, but null where any does not say it: a mean over some would be another number. */
function wholeMean(
  facts: readonly RolloutFact[],
  of: (fact: RolloutFact) => MaybeNumber,
): MaybeNumber {
  const values = facts.flatMap((fact) => of(fact) ?? []);
  return values.length === 0 || values.length < facts.length ? null : mean(values);
}

function rewardOf(facts: readonly RolloutFact[], logged: StepMetrics): TrainStep['reward'] {
  const rewards = facts.flatMap(({ reward }) => reward ?? []);
  if (rewards.length === 0 || rewards.length < facts.length)
    return { mean: logged.rewardMean ?? null, std: logged.rewardStd ?? null, clauses: {} };
  const { mean: average, variance } = moments(rewards, 0);
  const clauses: Record<string, number> = {};
  for (const { clauses: own } of facts)
    for (const [name, value] of own) clauses[name] = (clauses[name] ?? 0) + value / facts.length;
  return { mean: average, std: Math.sqrt(variance), clauses };
}

/** Groups whose rewards are all equal; null where a reward is not known. */
function flatGroups(groups: readonly (readonly RolloutFact[])[]): MaybeNumber {
  if (groups.length === 0 || groups.some((group) => group.some(({ reward }) => reward === null)))
    return null;
  return groups.filter((group) => group.every(({ reward }) => reward === group[0]?.reward)).length;
}

function heldOutOf(facts: readonly RolloutFact[]): HeldOutScore | null {
  const [em, f1] = [wholeMean(facts, (one) => one.em), wholeMean(facts, (one) => one.f1)];
  const searches = wholeMean(facts, (one) => one.searches);
  if (em === null || f1 === null || searches === null) return null;
  return {
    n: facts.length,
    em,
    f1,
    searches,
    recall: meanOf(facts, ({ recall }) => recall),
    formatValid: meanOf(facts, ({ formatValid }) => formatValid) ?? 0,
  };
}

function entropyOf(facts: readonly RolloutFact[]): MaybeNumber {
  const count = sum(facts.map(({ entropy }) => entropy.count));
  return count === 0 ? null : sum(facts.map(({ entropy }) => entropy.sum)) / count;
}

interface StepInput {
  experiment: AdoptedExperiment;
  step: number;
  logged: StepMetrics;
  facts: readonly RolloutFact[];
  heldOut: readonly RolloutFact[];
  /** Of the adoption, ISO 8601; a step without rollouts has no time of its own. */
  now: string;
}

function stepOf({ experiment, step, logged, facts, heldOut, now }: StepInput): TrainStep {
  const { settings, runId } = experiment;
  const groups = [...groupBy(facts, ({ groupId }) => groupId).values()];
  const times = facts.flatMap(({ createdAt }) => createdAt ?? []).toSorted();
  const tokens = facts.map((fact) => fact.tokens);
  const counted = facts.length > 0 && tokens.every((count) => count !== null);
  const sampledTokens = counted ? sum(tokens) : null;
  const rollout = logged.rollout ?? null;
  return {
    format: 'forage.step/1',
    runId,
    step,
    stage: stageAt(settings.stages, step),
    at: times.at(-1) ?? now,
    rollouts: facts.length || settings.questions * settings.groupSize,
    groups: groups.length || settings.questions,
    zeroVarianceGroups: flatGroups(groups),
    generationBatches: settings.dynamicSampling ? null : 1,
    reward: rewardOf(facts, logged),
    em: wholeMean(facts, ({ em }) => em) ?? logged.em ?? null,
    f1: wholeMean(facts, ({ f1 }) => f1) ?? logged.f1 ?? null,
    recall: meanOf(facts, ({ recall }) => recall) ?? logged.recall ?? null,
    searches: wholeMean(facts, ({ searches }) => searches) ?? logged.searches ?? null,
    formatValid: wholeMean(facts, (one) => one.formatValid) ?? logged.formatValid ?? null,
    responseTokens:
      sampledTokens === null ? (logged.responseTokens ?? null) : sampledTokens / facts.length,
    entropy: entropyOf(facts) ?? logged.entropy ?? null,
    loss: logged.loss ?? null,
    kl: logged.kl ?? null,
    clipShare: logged.clipShare ?? null,
    samplerGap: { max: logged.gapMax ?? null, mean: logged.gapMean ?? null },
    gradientNorm: logged.gradientNorm ?? null,
    learningRate: logged.learningRate ?? null,
    sampledTokens,
    trainedTokens: null,
    tokensPerSecond:
      sampledTokens === null || rollout === null || rollout <= 0 ? null : sampledTokens / rollout,
    seconds: {
      rollout,
      update: logged.update ?? null,
      heldOut: logged.heldOutSeconds ?? null,
      checkpoint: logged.checkpoint ?? null,
      total: logged.total ?? null,
    },
    drawn: {},
    heldOut: heldOutOf(heldOut) ?? logged.heldOut ?? null,
    router: null,
  };
}

/** Steps in order; those that neither logs nor rollouts know are left out. */
export function adoptedSteps(
  experiment: AdoptedExperiment,
  metrics: Metrics,
  rollouts: RolloutSource | null,
  now: string,
): TrainStep[] {
  const numbers = new Set([...metrics.keys(), ...(rollouts?.facts.keys() ?? [])]);
  return [...numbers]
    .filter((step) => step > experiment.startStep)
    .toSorted((a, b) => a - b)
    .map((step) =>
      stepOf({
        experiment,
        step,
        logged: metrics.get(step) ?? {},
        facts: rollouts?.facts.get(step) ?? [],
        heldOut: rollouts?.heldOut.get(step) ?? [],
        now,
      }),
    );
}

/** Numbers of steps that are missing between the first and the last, as text; null where none is. */
export function gapsIn(steps: readonly TrainStep[], startStep: number): string | null {
  if (steps.length === 0) return null;
  const have = new Set(steps.map(({ step }) => step));
  const last = itemAt(steps, steps.length - 1).step;
  const missing = Array.from({ length: last - startStep }, (_, i) => startStep + 1 + i).filter(
    (step) => !have.has(step),
  );
  if (missing.length === 0) return null;
  const named = missing.slice(0, 5).join(', ');
  return `No data for ${missing.length === 1 ? 'step' : 'steps'} ${named}${missing.length > 5 ? ` and ${missing.length - 5} more` : ''}.`;
}
