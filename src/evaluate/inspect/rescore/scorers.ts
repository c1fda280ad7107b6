import type { RewardClause } from '../../../records/rollout.ts';
import { answerScores, subExactMatch, type AnswerScores } from '../../../agent/answers/scores.ts';
import { clause } from '../../../learn/rewards/clause.ts';
import type { RewardFacts } from '../../../learn/rewards/facts.ts';
import {
  kunlunLong,
  kunlunShort,
  LONG_WEIGHTS,
  SHORT_WEIGHTS,
} from '../../../learn/rewards/kunlun-baize.ts';
import { plainEm, plainF1 } from '../../../learn/rewards/outcome.ts';
import {
  r1SearcherStage1,
  r1SearcherStage1Released,
  r1SearcherStage2,
  r1SearcherStage2Instruct,
  r1SearcherStage2Released,
} from '../../../learn/rewards/r1-searcher.ts';
import { autorefine, research } from '../../../learn/rewards/research.ts';
import { searchR1, searchR1Format } from '../../../learn/rewards/search-r1.ts';
import { ur2Stage1Released, ur2Stage2Released } from '../../../learn/rewards/ur2-released.ts';
import {
  ur2Stage1,
  ur2Stage1Llama,
  ur2Stage1Small,
  ur2Stage1Weak,
  ur2Stage2,
} from '../../../learn/rewards/ur2.ts';
import type { ScoringFacts } from './facts.ts';
import { rSearch, stepSearch } from './published.ts';

/** Clauses that the record allows, and those it does not: what is missing and for what. */
interface Scored {
  clauses: RewardClause[];
  lacks: string[];
}

export interface Scorer {
  id: string;
  name: string;
  /** Its worst and its best total; violations can fall below the worst. */
  range: readonly [number, number];
  score: (facts: ScoringFacts) => Scored;
}

/** A reward of the trainer's that looks at no tokens. */
const fixed = (
  id: string,
  name: string,
  range: readonly [number, number],
  reward: (facts: RewardFacts) => RewardClause[],
): Scorer => ({
  id,
  name,
  range,
  score: (facts) => ({ clauses: reward({ ...facts, tokens: facts.tokens ?? 0 }), lacks: [] }),
});

/** KunLunBaizeRAG's: the length clause needs tokens, the long form's structure needs its own tag. */
const kunlun = (
  id: string,
  name: string,
  reward: (facts: RewardFacts) => RewardClause[],
): Scorer => ({
  id,
  name,
  range: [0, 1],
  score: (facts) => {
    const clauses = reward({ ...facts, tokens: facts.tokens ?? 0 });
    if (facts.tokens !== null) return { clauses, lacks: [] };
    return {
      clauses: clauses.filter((one) => one.clause !== 'length'),
      lacks: ['length: the file has no tokens to count'],
    };
  },
});

const plain = (id: string, name: string, score: (facts: RewardFacts) => number): Scorer =>
  fixed(id, name, [0, 1], (facts) => [clause(id, score(facts), facts.answer)]);

/** A score of the answer by R1-Searcher's normaliser. */
const byR1Searcher = (id: string, name: string, score: keyof AnswerScores): Scorer =>
  plain(id, name, ({ answerText, golds }) => answerScores(answerText, golds, 'r1-searcher')[score]);

/** Every published scorer; weights are the defaults of the trainer's rewards. */
export const SCORERS: readonly Scorer[] = [
  fixed('em', 'Exact match (SQuAD)', [0, 1], plainEm),
  fixed('f1', 'F1 (SQuAD)', [0, 1], plainF1),
  plain('cover-em', 'cover-EM (SQuAD)', (facts) => facts.coverEm),
  plain('sub-em', 'sub-EM (SQuAD)', (facts) => subExactMatch(facts.answerText, facts.golds)),
  byR1Searcher('em.r1-searcher', 'Exact match (R1-Searcher)', 'em'),
  byR1Searcher('f1.r1-searcher', 'F1 (R1-Searcher)', 'f1'),
  byR1Searcher('cover-em.r1-searcher', 'cover-EM (R1-Searcher, its ACC_R)', 'coverEm'),
  byR1Searcher('sub-em.r1-searcher', 'sub-EM (R1-Searcher)', 'subEm'),
  kunlun('kunlun-short', 'KunLunBaizeRAG, short answers (17)', (f) =>
    kunlunShort(f, SHORT_WEIGHTS),
  ),
  kunlun('kunlun-long', 'KunLunBaizeRAG, long answers (18)', (f) => kunlunLong(f, LONG_WEIGHTS)),
  fixed('ur2-stage-1', 'UR² stage 1, paper', [-1, 5], ur2Stage1),
  fixed('ur2-stage-1-3b', 'UR² stage 1, 3B', [-1, 8], ur2Stage1Small),
  fixed('ur2-stage-1-llama', 'UR² stage 1, Llama', [-1, 4], ur2Stage1Llama),
  fixed('ur2-stage-1-weak', 'UR² stage 1, weak', [0, 4], ur2Stage1Weak),
  fixed('ur2-stage-1-released', 'UR² stage 1, released', [-1, 5], ur2Stage1Released),
  fixed('ur2-stage-2', 'UR² stage 2, paper', [0, 3], ur2Stage2),
  fixed('ur2-stage-2-released', 'UR² stage 2, released', [0, 3], ur2Stage2Released),
  fixed('r1-searcher-stage-1', 'R1-Searcher stage 1, paper', [0, 1], r1SearcherStage1),
  fixed(
    'r1-searcher-stage-1-released',
    'R1-Searcher stage 1, released',
    [-1, 2],
    r1SearcherStage1Released,
  ),
  fixed('r1-searcher-stage-2', 'R1-Searcher stage 2, base models', [-2, 1], r1SearcherStage2),
  fixed(
    'r1-searcher-stage-2-released',
    'R1-Searcher stage 2, base models, released',
    [-2, 1],
    r1SearcherStage2Released,
  ),
  fixed(
    'r1-searcher-stage-2-instruct',
    'R1-Searcher stage 2, instruction-tuned',
    [-1, 1],
    r1SearcherStage2Instruct,
  ),
  fixed('search-r1', 'Search-R1, EM', [0, 1], searchR1),
  fixed('search-r1-format', 'Search-R1, format', [0, 1], searchR1Format),
  fixed('research', 'ReSearch', [0, 1], research),
  fixed('autorefine', 'AutoRefine', [0, 1], autorefine),
  stepSearch,
  rSearch,
];

export const scorerById = (id: string): Scorer | null =>
  SCORERS.find((scorer) => scorer.id === id) ?? null;
