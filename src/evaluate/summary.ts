import { outsideScores } from '../agent/answers/outside.ts';
import { stieCounts, sumStieCounts } from '../agent/stie-counts.ts';
import type { Rollout } from '../records/rollout.ts';
import type { StieCounts } from '../records/stie.ts';
import { mean, meanOrNull } from '../base/statistics.ts';

/** The numbers that the command line prints for a set of rollouts; shares between 0 and 1. */
export interface Summary {
  n: number;
  em: number;
  f1: number;
  /** Mean share of supporting titles retrieved, over questions that name some; null where none does. */
  recall: number | null;
  /** Mean searches per rollout. */
  searches: number;
  formatValid: number;
  /** Policy tokens per second: of all rollouts over `wallSeconds`, or over their own seconds added up. */
  tokensPerSecond: number;
}

/** Long answers beside their gold summaries, means over `n` rollouts. */
interface LongSummary {
  n: number;
  rougeL: number;
  /** Share of the statements that retrieved passages support. */
  supported: number;
}

export interface SummaryByHops extends Summary {
  /** Keys "1", "2", …; rollouts without a hop count are left out. */
  byHops: Record<string, Summary>;
  /** Absent where no question has a gold summary. */
  long?: LongSummary;
  /** What rollouts without an answer wrote outside their tags, means over `n` of them; absent where none did. */
  outside?: OutsideSummary;
  /** How often each clause of STIE fired in all rollouts; absent where it judged nothing. */
  stie?: StieCounts;
}

interface OutsideSummary {
  n: number;
  em: number;
  f1: number;
}

function summarizeOutside(rollouts: readonly Rollout[]): OutsideSummary | null {
  const scored = rollouts.flatMap((rollout) => outsideScores(rollout) ?? []);
  if (scored.length === 0) return null;
  return {
    n: scored.length,
    em: mean(scored.map(({ em }) => em)),
    f1: mean(scored.map(({ f1 }) => f1)),
  };
}

function summarizeLong(rollouts: readonly Rollout[]): LongSummary | null {
  const scored = rollouts.flatMap(({ metrics }) =>
    metrics?.rouge_l === undefined ? [] : [{ rougeL: metrics.rouge_l, ...metrics }],
  );
  if (scored.length === 0) return null;
  return {
    n: scored.length,
    rougeL: mean(scored.map(({ rougeL }) => rougeL)),
    supported: mean(scored.map(({ supported = 0 }) => supported)),
  };
}

function summarize(rollouts: readonly Rollout[], wallSeconds?: number): Summary {
  const metrics = rollouts.flatMap((rollout) => rollout.metrics ?? []);
  const withSupport = rollouts.filter((rollout) => rollout.question.supporting.length > 0);
  const tokens = metrics.reduce((sum, m) => sum + m.tokens, 0);
  const seconds = wallSeconds ?? metrics.reduce((sum, m) => sum + m.seconds, 0);
  return {
    n: rollouts.length,
    em: mean(metrics.map((m) => m.em)),
    f1: mean(metrics.map((m) => m.f1)),
    recall: meanOrNull(withSupport.flatMap((rollout) => rollout.metrics?.recall ?? [])),
    searches: mean(metrics.map((m) => m.searches)),
    formatValid: mean(metrics.map((m) => Number(m.formatValid))),
    tokensPerSecond: seconds > 0 ? tokens / seconds : 0,
  };
}

/**
 * Means over rollouts, in all and by hops.
 * @param wallSeconds time that all of them took together, where they ran at the same time; the rates
 * by hops are then left to the rollouts' own seconds
 */
export function summarizeRollouts(
  rollouts: readonly Rollout[],
  wallSeconds?: number,
): SummaryByHops {
  const byHops: Record<string, Summary> = {};
  const hops = new Set(rollouts.flatMap((rollout) => rollout.question.hops ?? []));
  for (const count of [...hops].toSorted((a, b) => a - b)) {
    byHops[String(count)] = summarize(rollouts.filter((r) => r.question.hops === count));
  }
  const long = summarizeLong(rollouts);
  const outside = summarizeOutside(rollouts);
  const stie = sumStieCounts(rollouts.map(({ events }) => stieCounts(events)));
  return {
    ...summarize(rollouts, wallSeconds),
    byHops,
    ...(long && { long }),
    ...(outside && { outside }),
    ...(stie && { stie }),
  };
}
