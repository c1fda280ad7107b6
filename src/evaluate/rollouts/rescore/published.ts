import type { RewardClause } from '../../../records/rollout.ts';
import { clause } from '../../../learn/rewards/parts/clause.ts';
import type { Round } from '../../../formats/rollouts/rounds.ts';
import type { ScoringFacts } from './facts.ts';
import type { Scorer } from './scorers.ts';

/*
 * Scorers that no recipe trains with. What a record cannot give is left out of the sum and named.
 *
 * - StepSearch: F1 + 0.618 · key match, and per search information gain − redundancy. The key match
 *   compares queries with gold search keys, which no rollout file carries. Information gain is
 *   published on similarities to the gold documents; here it is the share of the supporting titles that
 *   the search read first. Redundancy is the share of its passages that an earlier search had brought.
 * - R-Search: 0.2 for the format of the answer, 0.2 for that of the evidence, F1, and F1 of a frozen
 *   model that answers from the evidence alone. The last one needs that model.
 */

const KEY_MATCH = 'key match (× 0.618): the file has no gold search keys';

/** One clause a search: what it read first of the supporting titles, less what was known already. */
function searchClauses(rounds: readonly Round[], supporting: readonly string[]): RewardClause[] {
  const titles = new Set<string>();
  const texts = new Set<string>();
  const wanted = new Set(supporting);
  return rounds.flatMap(({ query, passages }) => {
    const fresh = new Set(
      passages.map(({ title }) => title).filter((title) => wanted.has(title) && !titles.has(title)),
    );
    const keys = passages.map(({ title, text }) => `${title}\n${text}`);
    const known = keys.filter((key) => texts.has(key)).length;
    for (const title of fresh) titles.add(title);
    for (const key of keys) texts.add(key);
    if (!query) return [];
    const { segment, start, end } = query;
    const evidence = [{ segment, start, end }];
    const redundancy = keys.length === 0 ? 0 : known / keys.length;
    const gain = wanted.size === 0 ? 0 : fresh.size / wanted.size;
    return [
      ...(wanted.size === 0 ? [] : [clause('information-gain', gain, evidence)]),
      clause('redundancy', redundancy === 0 ? 0 : -redundancy, evidence),
    ];
  });
}

export const stepSearch: Scorer = {
  id: 'stepsearch',
  name: 'StepSearch',
  range: [0, 2],
  score: ({ f1, answer, rounds, supporting }: ScoringFacts) => ({
    clauses: [clause('answer', f1, answer), ...searchClauses(rounds, supporting)],
    lacks: [
      KEY_MATCH,
      ...(supporting.length === 0
        ? ['information gain: the file does not name the supporting passages']
        : []),
    ],
  }),
};

const FORMAT = 0.2;

export const rSearch: Scorer = {
  id: 'r-search',
  name: 'R-Search',
  range: [0, 1.4],
  score: ({ f1, answer, formatValid, faults, evidence }: ScoringFacts) => ({
    clauses: [
      clause('format', formatValid ? FORMAT : 0, faults.flat()),
      clause('evidence-format', evidence.length > 0 ? FORMAT : 0, evidence),
      clause('answer', f1, answer),
    ],
    lacks: ['evidence F1: a frozen model would have to answer from the evidence'],
  }),
};
