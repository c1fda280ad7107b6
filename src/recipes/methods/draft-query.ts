import { z } from 'zod';

/**
 * What the policy wrote, as the next query: a rewrite of the question (rewrite-retrieve-read, arXiv 2305.14283),
 * its last thought (IRCoT, 2212.10509), the question with its last answer (Iter-RetGen, 2305.15294), a claim of
 * its draft (RAT, 2403.05313).
 */
export const draftQuerySchema = z.strictObject({
  rule: z.enum(['rewrite', 'last-thought', 'question-and-draft', 'claim']),
  /** Most tokens of a rewrite, of a thought or of a draft. */
  maxTokens: z.int().min(1).max(1024),
  /** Most queries of one rewrite, claims of one draft. */
  most: z.int().min(1).max(16),
});

/** A rewrite holds several queries, with semicolons between them. */
export const splitQueries = (text: string, most: number): string[] =>
  text
    .split(/[;\n]/u)
    .map((query) => query.trim())
    .filter((query) => query !== '')
    .slice(0, most);

const REASONING = /^(?:thus|so|therefore|hence)\b|^that is,/iu;
const ARITHMETIC = /\d\s*[-+*/×−]\s*\d[\d.,]*\s*=/u;
const ASKING = new Set(['who', 'whom', 'whose', 'what', 'when', 'where', 'why', 'which', 'how']);

/** A conclusion or a sum: it names nothing to look up. */
const isReasoning = (sentence: string): boolean =>
  REASONING.test(sentence.trim()) || ARITHMETIC.test(sentence);

/** Whether a thought ends IRCoT's chain. */
export const saysAnswer = (sentence: string): boolean => /\banswer is\b/iu.test(sentence);

/** IRCoT: the last thought that is not a conclusion, words that ask left out; without one, the question. */
export function lastThoughtQuery(thoughts: readonly string[], question: string): string {
  const last = thoughts.findLast((thought) => thought.trim() !== '' && !isReasoning(thought));
  const kept = (last ?? '')
    .split(/\s+/u)
    .filter((word) => !ASKING.has(word.toLowerCase().replaceAll(/[^\p{L}]/gu, '')));
  return kept.join(' ').trim() || question;
}

/** Iter-RetGen: y_{t−1} behind q, as its equation (1) joins them; only the question before there is one. */
export const questionAndDraft = (question: string, draft: string): string =>
  `${question} ${draft.trim()}`.trim();

/** RAT: the draft's steps, one claim each; the last ones give way where they are too many. */
export const claimsOf = (draft: string, most: number): string[] =>
  draft
    .split(/\n+|(?<=[.!?])\s+/u)
    .map((claim) => claim.trim())
    .filter((claim) => /[\p{L}\p{N}]/u.test(claim))
    .slice(0, most);
