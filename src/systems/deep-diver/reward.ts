import { clause } from '../../learn/rewards/parts/clause.ts';
import { fixedReward } from '../../learn/rewards/parts/definition.ts';
import type { RewardFacts } from '../../learn/rewards/parts/facts.ts';

/*
 * DeepDiver (arXiv 2505.24332; no code): 1 for the format, 1 for a right answer, and 1 more to each right rollout
 * that searched, in a group in which none that did not search was right. The paper grades loosely first (a
 * language model's 1 to 10, 6 and more), strictly later (two of three judgements). Differences: loose is F1 of 0.6
 * or every token of a gold answer, strict is exact match.
 */

const LOOSE_F1 = 0.6;
const SOURCE = 'DeepDiver, arXiv 2505.24332';

const searched = ({ searches }: RewardFacts): boolean => searches.length > 0;

/** Who of a group earns the bonus: right ones that searched, where none that did not search was right. */
export function bonusOf(
  group: readonly RewardFacts[],
  right: (facts: RewardFacts) => boolean,
): boolean[] {
  const needed = !group.some((facts) => right(facts) && !searched(facts));
  return group.map((facts) => needed && right(facts) && searched(facts));
}

const deepDiverBy = <const Id extends string>(
  id: Id,
  name: string,
  right: (facts: RewardFacts) => boolean,
) =>
  fixedReward({
    id,
    name,
    source: SOURCE,
    range: [0, 3],
    needs: { 'search-needed': 'group' },
    clauses: (facts) => [
      clause('format', Number(facts.formatValid), facts.faults.flat()),
      clause('answer', Number(right(facts)), facts.answer),
    ],
    ofGroup: (group) => {
      const earn = bonusOf(group, right);
      return group.map(({ answer }, i) =>
        clause('search-needed', Number(earn[i]), earn[i] ? answer : []),
      );
    },
  });

export const deepDiver = deepDiverBy('deep-diver', 'DeepDiver, strict', ({ em }) => em === 1);

export const deepDiverLoose = deepDiverBy(
  'deep-diver-loose',
  'DeepDiver, loose',
  ({ f1, coverEm }) => f1 >= LOOSE_F1 || coverEm === 1,
);
