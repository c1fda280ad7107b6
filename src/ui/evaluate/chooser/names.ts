import type { EvaluationSpec } from '../../../evaluate/systems/spec.ts';
import { RECIPES } from '../../../recipes/index.ts';
import { plural } from '../../kit/words/format.ts';
import type { SystemChoice } from '../../../evaluate/systems/spec.ts';

const titleOf = (choice: SystemChoice): string =>
  typeof choice === 'string'
    ? (RECIPES.find(({ id }) => id === choice)?.title ?? choice)
    : choice.title;

/** What an evaluation is called that nobody named: what it compares. */
export const nameOfSpec = ({ systems, policies }: EvaluationSpec): string => {
  const titles = systems.map(titleOf);
  const shown = titles.slice(0, 3).join(', ');
  const more = titles.length > 3 ? ` and ${titles.length - 3} more` : '';
  return `${shown}${more}${policies.length > 1 ? `, ${plural(policies.length, 'policy', 'policies')}` : ''}`;
};
