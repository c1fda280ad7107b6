import { labelled } from '../../kit/fields/labelled.tsx';
import { Select } from '../../kit/fields/Select.tsx';
import { useId, useState } from 'react';
import { RECIPE_IDS, type RunSettings } from '../../../lab/contract/settings.ts';
import { RECIPES, getRecipe } from '../../../systems/index.ts';
import { pickOf } from '../../kit/pick-of.ts';
import { RecipeSentence } from '../../setup/form/RecipeSentence.tsx';

const CHOICES = RECIPES.map(({ id, title }) => ({ value: id, label: title }));

interface RecipeChoiceProps {
  recipe: RunSettings['recipe'];
  choose: (recipe: RunSettings['recipe']) => void;
}

/** All recipes with their sentences as a radio group: arrow keys choose, Tab goes to the papers. */
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

/** The recipe of the rollouts: a list of names, or all recipes with a sentence each. */
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
        {/* Rendered when opened: each sentence is scanned for glossary terms. */}
        {all ? <Sentences recipe={recipe} choose={choose} /> : null}
      </details>
    </>
  );
};
