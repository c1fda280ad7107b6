import type { SamplingOptions } from '../../../retrieval/cluster/options.ts';
import { temperature } from '../../../retrieval/cluster/sampling.ts';

/** τ after this many queries. */
export interface CurvePoint {
  query: number;
  temperature: number;
}

/** Points of the curve that are drawn; between them it bends little. */
const STEPS = 60;

/** τ over queries, from the first to a little after the annealing has ended. */
export function temperatureCurve(sampling: SamplingOptions): CurvePoint[] {
  const last = Math.round(sampling.annealingQueries * 1.1);
  const at = Array.from({ length: STEPS + 1 }, (_, i) => Math.round((i / STEPS) * last));
  // The end of the held part is a corner.
  const queries = [...new Set([...at, sampling.heldQueries])].sort((a, b) => a - b);
  return queries.map((query) => ({ query, temperature: temperature(query, sampling) }));
}
