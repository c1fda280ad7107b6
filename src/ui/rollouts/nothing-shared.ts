import type { ComparedRuns, NoScore } from '../../lab/contract/rollouts.ts';

const NO_SCORE: Record<NoScore, string> = {
  empty: 'has no rollouts yet',
  older: 'was imported before this score existed; open it again to compute it',
  'not-scored': 'has no readable answers, so nothing in it is scored',
  'no-gold': 'has no gold answers, so nothing in it is scored',
  'no-verdict': 'has no judge verdicts; choose another score',
};

/** Why there is nothing to compare, naming the file and what to do. */
export const whyNothingShared = ({ noScore }: Pick<ComparedRuns, 'noScore'>): string => {
  const lacking = (['a', 'b'] as const).flatMap((side) => {
    const why = noScore[side];
    return why === null ? [] : [`${side.toUpperCase()} ${NO_SCORE[why]}`];
  });
  return lacking.length === 0
    ? 'the files share no question (compared by id and text)'
    : lacking.join('; ');
};
