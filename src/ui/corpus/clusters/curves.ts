import type { SamplingOptions } from '../../../retrieval/cluster/options.ts';
import { temperature } from '../../../retrieval/cluster/sampling.ts';

/** τ after a number of queries. */
export interface CurvePoint {
  query: number;
  temperature: number;
}

/** Points of the curve; it bends little between them. */
const STEPS = 60;

/** τ over queries, from the start to slightly after the end of annealing. */
export function temperatureCurve(sampling: SamplingOptions): CurvePoint[] {
  const last = Math.round(sampling.annealingQueries * 1.1);
  const at = Array.from({ length: STEPS + 1 }, (_, i) => Math.round((i / STEPS) * last));
  // The held part ends in a corner.
  const queries = [...new Set([...at, sampling.heldQueries])].sort((a, b) => a - b);
  return queries.map((query) => ({ query, temperature: temperature(query, sampling) }));
}
