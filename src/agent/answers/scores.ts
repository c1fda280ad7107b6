import type { Passage } from '../../records/records.ts';
import { comparedForms, type Normaliser, SQUAD } from './normalisers.ts';

/**
 * Answer scores, docs/methods.md section 5: maximum over the gold answers, no answer scores 0. The normaliser is
 * SQuAD's unless another is named. They are below `evaluate` because finished rollouts and rewards need them.
 */

export interface AnswerScores {
  /** 1 where prediction and a gold answer are equal after normalisation. */
  em: number;
  f1: number;
  /** 1 where every token of a gold answer is among the prediction's tokens, in any order. */
  coverEm: number;
  /** 1 where a normalised gold answer is a substring of the normalised prediction. */
  subEm: number;
}

const CLOSED = new Set(['yes', 'no', 'noanswer']);

const counted = (tokens: readonly string[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const token of tokens) counts.set(token, (counts.get(token) ?? 0) + 1);
  return counts;
};

const tokensOf = (normal: string): string[] => normal.split(' ').filter(Boolean);

/** Token F1 of normalised texts. @param closed a yes/no/noanswer mismatch gives 0, as HotpotQA scores it */
function tokenF1(prediction: string, gold: string, closed: boolean): number {
  if (prediction === gold) return 1;
  if (closed && (CLOSED.has(prediction) || CLOSED.has(gold))) return 0;
  const [pTokens, gTokens] = [tokensOf(prediction), tokensOf(gold)];
  const goldCounts = counted(gTokens);
  let common = 0;
  for (const [token, count] of counted(pTokens))
    common += Math.min(count, goldCounts.get(token) ?? 0);
  if (common === 0) return 0;
  const precision = common / pTokens.length;
  const recall = common / gTokens.length;
  return (2 * precision * recall) / (precision + recall);
}

function covers(prediction: string, gold: string): boolean {
  const has = new Set(tokensOf(prediction));
  return tokensOf(gold).every((token) => has.has(token));
}

/** A gold answer without any text is met by an answer without any: all scores 1, else all 0. */
function pairScores(
  given: string,
  wanted: string,
  normaliser: Normaliser,
  closed: boolean,
): AnswerScores {
  const { prediction, gold } = comparedForms(given, wanted, normaliser);
  const same = prediction === gold;
  return {
    em: Number(same),
    f1: tokenF1(prediction, gold, closed),
    coverEm: Number(gold === '' ? same : covers(prediction, gold)),
    subEm: Number(gold === '' ? same : prediction.includes(gold)),
  };
}

/**
 * All scores of one answer, each the maximum over the gold answers.
 * @param closed F1 of yes, no and noanswer is 0 unless both are the same; the F1 of some papers has no such rule
 */
export function answerScores(
  prediction: string | null,
  golds: readonly string[],
  normaliser = SQUAD,
  closed = true,
): AnswerScores {
  const best = { em: 0, f1: 0, coverEm: 0, subEm: 0 };
  if (prediction === null) return best;
  for (const gold of golds) {
    const scores = pairScores(prediction, gold, normaliser, closed);
    best.em = Math.max(best.em, scores.em);
    best.f1 = Math.max(best.f1, scores.f1);
    best.coverEm = Math.max(best.coverEm, scores.coverEm);
    best.subEm = Math.max(best.subEm, scores.subEm);
  }
  return best;
}

type Score = (prediction: string | null, golds: readonly string[], by?: Normaliser) => number;

export const exactMatch: Score = (prediction, golds, by) => answerScores(prediction, golds, by).em;

export const f1Score: Score = (prediction, golds, by) => answerScores(prediction, golds, by).f1;

export const subExactMatch: Score = (prediction, golds, by) =>
  answerScores(prediction, golds, by).subEm;

/**
 * Titles of passages that can support an answer. An older state of a page, or a doubtful claim under its
 * title, cannot.
 */
export const soundTitles = (passages: readonly Pick<Passage, 'title' | 'noise'>[]): string[] =>
  passages.filter(({ noise }) => noise === undefined).map(({ title }) => title);

/** Share of the supporting titles among the retrieved ones; null where the question names none: nothing can be missed there. */
export function supportingRecall(
  retrieved: Iterable<string>,
  supporting: readonly string[],
): number | null {
  const wanted = new Set(supporting);
  if (wanted.size === 0) return null;
  const seen = new Set(retrieved);
  return [...wanted].filter((title) => seen.has(title)).length / wanted.size;
}
