import { clause } from '../../learn/rewards/parts/clause.ts';
import { fixedReward } from '../../learn/rewards/parts/definition.ts';
import type { RewardFacts } from '../../learn/rewards/parts/facts.ts';

/*
 * Posterior-GRPO (arXiv 2508.05170): R = R_f + R_o + R_o · R_t: the reward of the reasoning counts only where the
 * outcome is right. Difference: R_t is the share of supporting titles that the searches brought, in place of a reward
 * model of thoughts. `posterior-ungated` is the ablation, R_f + R_o + R_t.
 */

/** R_t. */
function evidenceShare({ shown, supporting }: RewardFacts): number {
  const wanted = new Set(supporting);
  const found = new Set(shown.map(({ title }) => title).filter((title) => wanted.has(title)));
  return wanted.size === 0 ? 0 : found.size / wanted.size;
}

const posteriorBy = <const Id extends string>(id: Id, name: string, gated: boolean) =>
  fixedReward({
    id,
    name,
    source: 'Posterior-GRPO, arXiv 2508.05170',
    range: [0, 3],
    clauses: (facts) => {
      const thinking = evidenceShare(facts) * (gated ? facts.em : 1);
      const spans = facts.searches.flatMap(({ evidence }) => evidence);
      return [
        clause('format', Number(facts.formatValid), facts.faults.flat()),
        clause('answer', facts.em, facts.answer),
        clause('evidence', thinking, thinking > 0 ? spans : []),
      ];
    },
  });

export const posterior = posteriorBy('posterior', 'Posterior-GRPO', true);
export const posteriorUngated = posteriorBy(
  'posterior-ungated',
  'Posterior-GRPO, not gated',
  false,
);
