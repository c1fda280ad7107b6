import { f1Score } from '../../agent/answers/scores.ts';
import { words } from '../../agent/answers/normalisers.ts';
import { clause } from '../../learn/rewards/parts/clause.ts';
import { fixedReward } from '../../learn/rewards/parts/definition.ts';
import type { RewardFacts } from '../../learn/rewards/parts/facts.ts';

/*
 * R1-Router (arXiv 2505.22095; code: OpenBMB/R1-Router, verl/utils/reward_score/step.py): a routing step earns half
 * the similarity of its sub-question to the gold one and 0.5 for the right source; the answer earns its token recall,
 * or 1 only where that is whole, for a gold answer of at most five words or several of them. Differences: sources are
 * local and web in place of text, images and tables; a step is a search, compared with the step of the gold chain
 * whose query is most like it; likeness is token F1 in place of the cosine of an encoder; a rollout is whole, where
 * theirs groups the same step of a trajectory that another model made: `credit: span` gives each search its own.
 * `r1-router-step` is of one step by itself, after the gold steps before it (`src/systems/r1-router/loop.ts`), and
 * compared with that step alone: after all of them, answering is right, and a search earns nothing; before, an answer does.
 */

const HALF = 0.5;
const SHORT = 5;

/** Token recall of the gold answer, all or nothing for a short one or several. */
export function recallReward(answer: string, golds: readonly string[]): number {
  const given = new Set(words(answer));
  const recalls = golds.map((gold) => {
    const tokens = words(gold);
    return tokens.filter((token) => given.has(token)).length / Math.max(1, tokens.length);
  });
  const best = Math.max(0, ...recalls);
  const strict = golds.length > 1 || words(golds[0] ?? '').length <= SHORT;
  return strict ? Number(best === 1) : best;
}

/** What one search earns. @param likeness of its query to the gold one, 0 to 1 */
export const routingReward = (likeness: number, rightSource: boolean): number =>
  HALF * likeness + (rightSource ? HALF : 0);

/** The step of the gold chain whose query is most like a search's, and how like; null where none is at all. */
export function likeliestStep<Step extends { query: string }>(
  query: string,
  steps: readonly Step[],
): [likeness: number, step: Step | null] {
  return steps.reduce<[number, Step | null]>(
    (best, one) => {
      const like = f1Score(query, [one.query]);
      return like > best[0] ? [like, one] : best;
    },
    [0, null],
  );
}

export const r1Router = fixedReward({
  id: 'r1-router',
  name: 'R1-Router',
  source: 'R1-Router, arXiv 2505.22095, values of its code',
  range: [0, 9],
  steps: ['routing'],
  clauses: ({ answerText, golds, answer, searches, steps }: RewardFacts) => [
    clause('answer', answerText === null ? 0 : recallReward(answerText, golds), answer),
    ...searches.map(({ query, asked, evidence }) => {
      const [likeness, step] = likeliestStep(query, steps);
      const { source } = step ?? {};
      const right = source !== undefined && (source === 'both' || source === asked);
      return clause('routing', routingReward(likeness, right), evidence);
    }),
  ],
});

export const r1RouterStep = fixedReward({
  id: 'r1-router-step',
  name: 'R1-Router, one step',
  source: 'R1-Router, arXiv 2505.22095, section 3.3, values of its code',
  range: [0, 1],
  clauses: ({ answerText, golds, answer, searches, steps, given }: RewardFacts) => {
    const [search] = searches;
    const step = steps[given];
    if (step === undefined)
      return [
        clause(
          'answer',
          search || answerText === null ? 0 : recallReward(answerText, golds),
          answer,
        ),
      ];
    if (!search) return [clause('routing', 0)];
    const right =
      step.source !== undefined && (step.source === 'both' || step.source === search.asked);
    return [
      clause('routing', routingReward(f1Score(search.query, [step.query]), right), search.evidence),
    ];
  },
});
