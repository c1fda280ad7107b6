import type { SourceName } from '../../records/hits.ts';
import type { RouterStep } from '../../records/training.ts';
import type { LearnedCall } from './calls.ts';

const meanOf = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((a, b) => a + b, 0) / values.length;

const bySource = (
  calls: readonly LearnedCall[],
  of: (call: LearnedCall) => number | null,
): RouterStep['latencyMs'] => {
  const mean = (source: SourceName): number | null =>
    meanOf(calls.filter((call) => call.action === source).flatMap((call) => of(call) ?? []));
  return { local: mean('local'), web: mean('web') };
};

/** What a step's calls say to the charts; means where there were none are null. */
export function routerStep(calls: readonly LearnedCall[], gradientNorm: number): RouterStep {
  const byKind: RouterStep['byKind'] = {};
  for (const kind of [...new Set(calls.map((call) => call.kind))].sort()) {
    const own = calls.filter((call) => call.kind === kind);
    byKind[kind] = {
      calls: own.length,
      local: meanOf(own.map((call) => call.local)) ?? 0,
      reward: meanOf(own.map((call) => call.reward)) ?? 0,
    };
  }
  return {
    calls: calls.length,
    byKind,
    latencyMs: bySource(calls, (call) => call.latencyMs),
    recallGained: bySource(calls, (call) => call.recallGained),
    reward: meanOf(calls.map((call) => call.reward)) ?? 0,
    gradientNorm,
  };
}
