import { differenceOf, type PairedDifference } from '../paired-difference.ts';
import type { AnswerScores } from '../../agent/answers/scores.ts';
import type { RolloutFacts } from './lint/facts.ts';

/** Two runs on the same questions: what was gained, what was lost, which questions flipped. */

type ScoreName = keyof AnswerScores;

/** A score by SQuAD's normaliser, or by R1-Searcher's, or the file's judge. */
export type Criterion = ScoreName | `${ScoreName}.r1-searcher` | 'judge';

/** What is looked at of a rollout. */
export type ComparedFacts = Pick<
  RolloutFacts,
  'id' | 'questionId' | 'scores' | 'byR1Searcher' | 'judge'
>;

export interface ComparedQuestion {
  questionId: string;
  /** Mean score over the question's rollouts, 0 to 1. */
  a: number;
  b: number;
  /** Rollouts of either run, in order. */
  aIds: string[];
  bIds: string[];
}

export interface RunComparison {
  criterion: Criterion;
  /** Better, worse and as good in the second run. */
  gained: ComparedQuestion[];
  lost: ComparedQuestion[];
  same: ComparedQuestion[];
  /** Those of gained and lost that went from wholly wrong to wholly right, or back. */
  flipped: ComparedQuestion[];
  /** Questions that only one run has, or that have no score in the other. */
  onlyA: string[];
  onlyB: string[];
  /** Mean of b − a over the shared questions, with its 95 % interval where they tell one; null without any. */
  difference: PairedDifference | null;
}

interface ScoreSum {
  sum: number;
  ids: string[];
}

const SCORES = ['em', 'coverEm', 'subEm', 'f1'] as const satisfies ScoreName[];

const scoreOf = (facts: ComparedFacts, criterion: Criterion): number | null => {
  if (criterion === 'judge') return facts.judge === null ? null : Number(facts.judge);
  for (const name of SCORES) {
    if (criterion === name) return facts.scores?.[name] ?? null;
    if (criterion === `${name}.r1-searcher`) return facts.byR1Searcher?.[name] ?? null;
  }
  return null;
};

export const hasScore = (facts: ComparedFacts, criterion: Criterion): boolean =>
  scoreOf(facts, criterion) !== null;

function gather(facts: readonly ComparedFacts[], criterion: Criterion): Map<string, ScoreSum> {
  const questions = new Map<string, ScoreSum>();
  for (const one of facts) {
    const score = scoreOf(one, criterion);
    if (score === null) continue;
    const found = questions.get(one.questionId) ?? { sum: 0, ids: [] };
    found.sum += score;
    found.ids.push(one.id);
    questions.set(one.questionId, found);
  }
  return questions;
}

/** Compares by question id; a question with several rollouts counts with their mean. */
export function compareRuns(
  a: readonly ComparedFacts[],
  b: readonly ComparedFacts[],
  criterion: Criterion = 'em',
): RunComparison {
  const [left, right] = [gather(a, criterion), gather(b, criterion)];
  const shared = [...left].flatMap(([questionId, own]): ComparedQuestion[] => {
    const other = right.get(questionId);
    if (!other) return [];
    return [
      {
        questionId,
        a: own.sum / own.ids.length,
        b: other.sum / other.ids.length,
        aIds: own.ids,
        bIds: other.ids,
      },
    ];
  });
  return {
    criterion,
    gained: shared.filter((q) => q.b > q.a),
    lost: shared.filter((q) => q.b < q.a),
    same: shared.filter((q) => q.a === q.b),
    flipped: shared.filter((q) => Math.abs(q.a - q.b) === 1),
    onlyA: [...left.keys()].filter((id) => !right.has(id)),
    onlyB: [...right.keys()].filter((id) => !left.has(id)),
    difference: differenceOf(
      shared.map((q) => q.a),
      shared.map((q) => q.b),
      { binary: !criterion.startsWith('f1') },
    ),
  };
}
