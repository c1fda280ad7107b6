import type { SampledTokens } from '../../policy/policy.ts';
import { canonicalAnswer } from '../answers.ts';

/** Candidates of one round and their confidence. */

export interface Candidate {
  text: string;
  /** The form under which it is counted and blocked. */
  canonical: string;
  /** Mean or minimum token log-probability; at most 0. */
  confidence: number;
}

/** Confidence of sampled tokens: mean or least log-probability; −∞ without tokens. */
export function confidenceOf(sampled: Pick<SampledTokens, 'logprobs'>, by: 'mean' | 'min'): number {
  const { logprobs } = sampled;
  if (logprobs.length === 0) return -Infinity;
  if (by === 'min') return Math.min(...logprobs);
  return logprobs.reduce((total, value) => total + value, 0) / logprobs.length;
}

/** How an answer is counted: as it stands in `paper`, canonically in `corrected`. */
export const countedForm = (text: string, mode: 'paper' | 'corrected'): string =>
  mode === 'paper' ? text.trim() : canonicalAnswer(text);

/** One entry per counted form, in order of first appearance, with its best confidence. */
export function mergeCandidates(candidates: readonly Candidate[]): Candidate[] {
  const merged = new Map<string, Candidate>();
  for (const candidate of candidates) {
    const known = merged.get(candidate.canonical);
    if (!known || candidate.confidence > known.confidence) {
      merged.set(candidate.canonical, known ? { ...known, ...candidate } : candidate);
    }
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
