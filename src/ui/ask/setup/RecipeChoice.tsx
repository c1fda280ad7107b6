import { labelled } from '../../kit/fields/labelled.tsx';
import { Select } from '../../kit/fields/Select.tsx';
import { useId, useState } from 'react';
import { RECIPE_IDS, type RunSettings } from '../../../lab/contract/settings.ts';
import { RECIPES, getRecipe } from '../../../recipes/index.ts';
import { pickOf } from '../../kit/pick-of.ts';
import { RecipeSentence } from '../../setup/form/RecipeSentence.tsx';

const CHOICES = RECIPES.map(({ id, title }) => ({ value: id, label: title }));

interface RecipeChoiceProps {
  recipe: RunSettings['recipe'];
  choose: (recipe: RunSettings['recipe']) => void;
}

/** All recipes with their sentences, one of them chosen: arrow keys choose, Tab goes to the papers. */
const Sentences = ({ recipe, choose }: RecipeChoiceProps) => {
  const id = useId();
  return (
    <div className="recipe-list" role="radiogroup" aria-label="What each of them does">
      {RECIPES.map((one) => (
        <div key={one.id} className="recipe-option">
          <label>
            <input
              type="radio"
              name={id}
              checked={one.id === recipe}
              aria-label={one.title}
              aria-describedby={`${id}-${one.id}`}
              onChange={() => choose(pickOf(RECIPE_IDS, one.id) ?? recipe)}
            />{' '}
            <b>{labelled(one.title).label}</b>
          </label>
          <span className="fine" id={`${id}-${one.id}`}>
            <RecipeSentence recipe={one} />
          </span>
        </div>
      ))}
    </div>
  );
};

/** The system that the rollouts follow: by its name, what it is in a sentence, and beside all others. */
export const RecipeChoice = ({ recipe, choose }: RecipeChoiceProps) => {
  const [all, setAll] = useState(false);
  return (
    <>
      <Select
        size="xs"
        label="Recipe"
        value={recipe}
        data={CHOICES}
        onChange={(event) => choose(pickOf(RECIPE_IDS, event.currentTarget.value) ?? recipe)}
      />
      <p className="fine recipe-sentence" data-testid="recipe-sentence">
        <RecipeSentence recipe={getRecipe(recipe)} />
      </p>
      <details className="mechanisms" onToggle={(event) => setAll(event.currentTarget.open)}>
        <summary>All {RECIPES.length} recipes</summary>
        {/* Drawn when it is opened: each sentence looks for words that the glossary explains. */}
        {all ? <Sentences recipe={recipe} choose={choose} /> : null}
      </details>
    </>
  );
};
