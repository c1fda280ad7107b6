import type { SourceName } from '../../records/hits.ts';
import type { RouterStep } from '../../records/training.ts';
import type { LearnedCall } from './calls.ts';
import { mean, meanOrNull } from '../../base/statistics.ts';

const bySource = (
  calls: readonly LearnedCall[],
  of: (call: LearnedCall) => number | null,
): RouterStep['latencyMs'] => {
  const meanOf = (source: SourceName): number | null =>
    meanOrNull(calls.filter((call) => call.action === source).flatMap((call) => of(call) ?? []));
  return { local: meanOf('local'), web: meanOf('web') };
};

/** What a step's calls say to the charts; means where there were none are null. */
export function routerStep(calls: readonly LearnedCall[], gradientNorm: number): RouterStep {
  const byKind: RouterStep['byKind'] = {};
  for (const kind of [...new Set(calls.map((call) => call.kind))].sort()) {
    const own = calls.filter((call) => call.kind === kind);
    byKind[kind] = {
      calls: own.length,
      local: mean(own.map((call) => call.local)),
      reward: mean(own.map((call) => call.reward)),
    };
  }
  return {
    calls: calls.length,
    byKind,
    latencyMs: bySource(calls, (call) => call.latencyMs),
    recallGained: bySource(calls, (call) => call.recallGained),
    reward: mean(calls.map((call) => call.reward)),
    gradientNorm,
  };
}
