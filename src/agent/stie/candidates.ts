import { present } from '../../base/items.ts';
import type { SampledTokens } from '../../policy/policy.ts';
import { canonicalAnswer } from '../answers/answers.ts';
import { mean } from '../../base/statistics.ts';

/** Candidates of one round and their confidence. */

export interface Candidate {
  text: string;
  /** The form under which it is counted and blocked. */
  canonical: string;
  /** Mean or minimum token log-probability, or the logarithm of `agreement`; at most 0. */
  confidence: number;
  /** Samples that gave it; absent: one. */
  samples?: number;
}

/** One sample before it is judged; its confidence is null where the policy gave no log-probabilities. */
export type Sample = Omit<Candidate, 'confidence'> & { confidence: number | null };

/** Confidence of sampled tokens: mean or least log-probability; −∞ without tokens. */
export function confidenceOf(sampled: Pick<SampledTokens, 'logprobs'>, by: 'mean' | 'min'): number {
  const { logprobs } = sampled;
  if (logprobs.length === 0) return -Infinity;
  if (by === 'min') return Math.min(...logprobs);
  return mean(logprobs);
}

/**
 * Confidence without log-probabilities: ln(n / (K + 1)) for an answer that n of K samples gave. The one
 * sample more stands for answers not seen, so that K equal samples are not certainty.
 */
export function agreement(samples: readonly Sample[]): Candidate[] {
  const counts = new Map<string, number>();
  for (const { canonical } of samples) counts.set(canonical, (counts.get(canonical) ?? 0) + 1);
  return samples.map((sample) => ({
    ...sample,
    confidence: Math.log(
      present(counts.get(sample.canonical), 'the count of a sample') / (samples.length + 1),
    ),
  }));
}

/** How an answer is counted: as it is in `paper`, canonically in `corrected`. */
export const countedForm = (text: string, mode: 'paper' | 'corrected'): string =>
  mode === 'paper' ? text.trim() : canonicalAnswer(text);

/** One entry per counted form, in order of first appearance, with its best confidence. */
export function mergeCandidates(candidates: readonly Candidate[]): Candidate[] {
  const merged = new Map<string, Candidate>();
  for (const candidate of candidates) {
    const known = merged.get(candidate.canonical);
    const best = known && known.confidence >= candidate.confidence ? known : candidate;
    const samples = (known ? (known.samples ?? 1) : 0) + (candidate.samples ?? 1);
    merged.set(candidate.canonical, samples > 1 ? { ...best, samples } : best);
  }
  return [...merged.values()];
}

/** The most confident; the earlier one of a tie. */
export const mostConfident = (candidates: readonly Candidate[]): Candidate | undefined => {
  let best: Candidate | undefined;
  for (const candidate of candidates) {
    if (!best || candidate.confidence > best.confidence) best = candidate;
  }
  return best;
};
