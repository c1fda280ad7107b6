import type { RewardClause } from '../../../records/rollout.ts';
import { answerScores, subExactMatch, type AnswerScores } from '../../../agent/answers/scores.ts';
import { clause } from '../../../learn/rewards/parts/clause.ts';
import { NEEDS, type Need, type Reward } from '../../../learn/rewards/parts/definition.ts';
import { R1_SEARCHER } from '../../../systems/r1-searcher/normaliser.ts';
import { OUTCOME, PUBLISHED } from '../../../systems/rewards.ts';
import type { ScoringFacts } from './facts.ts';
import { rSearch } from '../../../systems/r-search/reward.ts';

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

/** Whether the facts hold what a clause reads, or nothing was written that it would be about. */
function holds(facts: ScoringFacts, need: Need): boolean {
  const { own, tokens, searches, frozen, evidence, goldTexts, selections } = facts;
  const idle = searches.length === 0;
  switch (need) {
    case 'tokens':
      return tokens !== null;
    case 'logprobs':
      return own || searches.every(({ logprobs }) => logprobs !== null);
    case 'supporting':
      return own || idle || facts.supporting.length > 0;
    case 'keys':
      return own || idle || facts.steps.length > 0;
    case 'gold-texts':
      return idle || goldTexts.length > 0;
    case 'frozen':
      return (
        frozen.length > 0 ||
        (evidence.length === 0 && !facts.output?.text.includes('<original_evidence>'))
      );
    case 'passages':
      return own || selections.some(({ passages }) => passages.length > 0);
    case 'group':
      return own;
  }
}

/** A reward of the trainer's with its default weights. */
export const scorerOf = ({ id, name, range, needs = {}, clauses }: Reward): Scorer => ({
  id,
  name,
  range,
  score: (facts) => {
    const lacking = Object.entries(needs).filter(([, need]) => !holds(facts, need));
    const without = new Set(lacking.map(([name]) => name));
    return {
      clauses: clauses({ ...facts, tokens: facts.tokens ?? 0 }, {}).filter(
        (one) => !without.has(one.clause),
      ),
      lacks: lacking.map(([clause, need]) => `${clause}: ${NEEDS[need]}`),
    };
  },
});

/** A score of the answer that is no reward here. */
const plain = (id: string, name: string, score: (facts: ScoringFacts) => number): Scorer => ({
  id,
  name,
  range: [0, 1],
  score: (facts) => ({ clauses: [clause(id, score(facts), facts.answer)], lacks: [] }),
});

/** A score of the answer by R1-Searcher's normaliser. */
const byR1Searcher = (id: string, name: string, score: keyof AnswerScores): Scorer =>
  plain(id, name, ({ answerText, golds }) => answerScores(answerText, golds, R1_SEARCHER)[score]);

/** Every published scorer; weights are the defaults of the trainer's rewards. */
export const SCORERS: readonly Scorer[] = [
  ...OUTCOME.map(scorerOf),
  plain('cover-em', 'cover-EM (SQuAD)', (facts) => facts.coverEm),
  plain('sub-em', 'sub-EM (SQuAD)', (facts) => subExactMatch(facts.answerText, facts.golds)),
  byR1Searcher('em.r1-searcher', 'Exact match (R1-Searcher)', 'em'),
  byR1Searcher('f1.r1-searcher', 'F1 (R1-Searcher)', 'f1'),
  byR1Searcher('cover-em.r1-searcher', 'cover-EM (R1-Searcher, its ACC_R)', 'coverEm'),
  byR1Searcher('sub-em.r1-searcher', 'sub-EM (R1-Searcher)', 'subEm'),
  ...PUBLISHED.map(scorerOf),
  scorerOf(rSearch),
];

export const scorerById = (id: string): Scorer | null =>
  SCORERS.find((scorer) => scorer.id === id) ?? null;
