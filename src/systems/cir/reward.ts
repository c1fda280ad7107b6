import { clause } from '../../learn/rewards/parts/clause.ts';
import { fixedReward } from '../../learn/rewards/parts/definition.ts';

/*
 * CIR, code-integrated reasoning (arXiv 2505.24480; code: RUCAIBox/CIR): +1 for a right answer, −1 for a wrong one or
 * none; nothing for format or calls.
 */
export const cir = fixedReward({
  id: 'cir',
  name: 'CIR, ±1',
  source: 'CIR, arXiv 2505.24480',
  range: [-1, 1],
  clauses: ({ em, answer }) => [clause('answer', em === 1 ? 1 : -1, answer)],
});
