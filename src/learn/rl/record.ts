import type { Rollout } from '../../records/rollout.ts';
import type { HeldOutScore, RouterStep, MadeStep, SkippedUpdate } from '../../records/training.ts';
import { unsummarized } from '../../agent/summarizing.ts';
import { stieCounts, sumStieCounts } from '../../agent/stie-counts.ts';
import type { Collected } from './collect.ts';
import { scoresOf } from './held-out.ts';
import type { UpdateReport } from './update.ts';
import { moments } from '../../base/statistics.ts';

/** Mean, and biased deviation, of the rewards; mean weighted value of each clause. */
function rewardStatistics(rollouts: readonly Rollout[]): MadeStep['reward'] {
  const rewards = rollouts.map((rollout) => rollout.reward ?? 0);
  const { mean, variance } = moments(rewards, 0);
  const clauses: Record<string, number> = {};
  for (const { rewards: list } of rollouts)
    for (const { clause, value, weight } of list)
      clauses[clause] = (clauses[clause] ?? 0) + (value * weight) / rollouts.length;
  return { mean, std: Math.sqrt(variance), clauses };
}

function entropyOf(rollouts: readonly Rollout[]): number {
  let [sum, n] = [0, 0];
  for (const { segments } of rollouts)
    for (const { mask, entropies = [] } of segments)
      if (mask === 1) {
        for (const entropy of entropies) sum += entropy;
        n += entropies.length;
      }
  return n === 0 ? 0 : sum / n;
}

/** Queries that got the fallback sentence; null where nothing was summarized. */
export function fallbacksOf(rollouts: readonly Rollout[]): number | null {
  const summaries = rollouts.flatMap(({ events }) =>
    events.flatMap((event) => (event.kind === 'summarize' ? [event] : [])),
  );
  const asked = rollouts.some(({ recipe }) => readsSummaries(recipe.settings));
  return asked || summaries.length > 0 ? summaries.filter((one) => one.fallback).length : null;
}

const readsSummaries = ({ retrieval }: Rollout['recipe']['settings']): boolean =>
  typeof retrieval === 'object' &&
  retrieval !== null &&
  'summarize' in retrieval &&
  retrieval.summarize === 'on';

/** Over all latent tokens of the rollouts; null where there was none. */
function latentOf(rollouts: readonly Rollout[]): MadeStep['latent'] | null {
  let [tokens, gates] = [0, 0];
  for (const { latent } of rollouts) {
    tokens += latent?.tokens ?? 0;
    gates += latent ? latent.tokens * latent.gate : 0;
  }
  return tokens === 0 ? null : { tokens: tokens / rollouts.length, gate: gates / tokens };
}

export interface StepParts {
  runId: string;
  step: number;
  stage: number;
  at: string;
  collected: Collected;
  update: UpdateReport | null;
  skipped?: SkippedUpdate;
  kl: number | null;
  klCoefficient?: number;
  probeRatio?: number;
  learningRate: number;
  heldOut: HeldOutScore | null;
  /** Of the first step only. */
  heldOutAtStart?: HeldOutScore | null;
  router: RouterStep | null;
  seconds: MadeStep['seconds'];
}

/** The record of a step. Means are over all rollouts that were made, also those not trained on. */
export function stepRecord(parts: StepParts): MadeStep {
  const { collected, update, seconds } = parts;
  const rollouts = collected.all.flat();
  const { em, f1, recall, searches, formatValid } = scoresOf(rollouts);
  const fallbacks = fallbacksOf(rollouts);
  const failed = rollouts.flatMap(({ events }) => unsummarized(events));
  const latent = latentOf(rollouts);
  const stie = sumStieCounts(rollouts.map(({ events }) => stieCounts(events)));
  const sampledTokens = rollouts.reduce((sum, r) => sum + (r.metrics?.tokens ?? 0), 0);
  return {
    format: 'forage.step/1',
    runId: parts.runId,
    step: parts.step,
    stage: parts.stage,
    at: parts.at,
    rollouts: rollouts.length,
    groups: collected.all.length,
    zeroVarianceGroups: collected.zeroVariance,
    generationBatches: collected.batches,
    reward: rewardStatistics(rollouts),
    em,
    f1,
    recall,
    searches,
    formatValid,
    ...(fallbacks !== null && { fallbacks }),
    ...(failed[0] !== undefined && {
      unsummarized: { results: failed.length, because: failed[0] },
    }),
    responseTokens: sampledTokens / Math.max(1, rollouts.length),
    entropy: entropyOf(rollouts),
    ...(latent && { latent }),
    ...(parts.skipped && { skipped: parts.skipped }),
    loss: update?.loss ?? 0,
    kl: parts.kl,
    klCoefficient: parts.klCoefficient,
    probeRatio: parts.probeRatio,
    clipShare: update?.clipShare ?? 0,
    samplerGap: update?.samplerGap ?? { max: 0, mean: 0 },
    gradientNorm: update?.gradientNorm ?? 0,
    learningRate: update?.learningRate ?? parts.learningRate,
    sampledTokens,
    trainedTokens: update?.trainedTokens ?? 0,
    tokensPerSecond: seconds.rollout > 0 ? sampledTokens / seconds.rollout : 0,
    seconds,
    drawn: collected.drawn,
    heldOut: parts.heldOut,
    ...(parts.heldOutAtStart && { heldOutAtStart: parts.heldOutAtStart }),
    router: parts.router,
    ...(stie && { stie }),
  };
}
