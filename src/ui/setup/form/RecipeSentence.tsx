import type { Recipe } from '../../../recipes/parts/recipe.ts';
import type { Switch } from '../../../recipes/switches/switch.ts';
import { Terms } from '../../kit/words/explain/Term.tsx';

/** One sentence about a recipe or training switch, with its paper. */
export const RecipeSentence = (props: {
  recipe: Pick<Recipe, 'summary' | 'about'> | Pick<Switch, 'summary' | 'about'>;
}) => {
  const { summary, about } = props.recipe;
  return (
    <>
      <Terms>{summary}</Terms>{' '}
      {about ? (
        <a href={`https://arxiv.org/abs/${about.paper}`} target="_blank" rel="noreferrer">
          arXiv {about.paper}
        </a>
      ) : null}
    </>
  );
};
