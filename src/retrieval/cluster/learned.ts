import { compareCodeUnits } from '../lexical/text.ts';
import { z } from 'zod';
import { sha256 } from '../../base/hash.ts';
import type { LearnedSampling } from './cluster-index.ts';
import type { SamplingOptions } from './options.ts';

/** What an index learned, as it is stored. */
export const learnedSchema = z.strictObject({
  queries: z.int().nonnegative(),
  weights: z.array(z.number().positive().max(1)),
  hits: z.array(z.int().nonnegative()),
}) satisfies z.ZodType<LearnedSampling>;

/** What indexes learned, under the names of the indexes; it may be gone at any time. */
export interface LearnedCache {
  read(name: string): Promise<LearnedSampling | null>;
  /** Called after every query; stores what `learned` gives now or soon. Never fails for the caller. */
  keep(name: string, learned: () => LearnedSampling): void;
}

/**
 * Names what an index learns: by the index, which is named by its vectors (so by passages and encoder)
 * and by how it was built, and by how clusters are sampled.
 */
export function learnedIdentity(index: string, sampling: SamplingOptions): Promise<string> {
  const settings = JSON.stringify(
    Object.entries(sampling).sort(([a], [b]) => compareCodeUnits(a, b)),
  );
  return sha256(new TextEncoder().encode(`learned/1\n${index}\n${settings}`));
}
