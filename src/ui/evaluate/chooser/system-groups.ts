import { ablationsOf } from '../../../evaluate/systems/ablation-picture.ts';
import type { CustomSystem } from '../../../evaluate/systems/custom.ts';
import type { SystemChoice } from '../../../evaluate/systems/spec.ts';
import { RECIPES } from '../../../systems/index.ts';
import type { Recipe } from '../../../recipes/parts/recipe.ts';
import { idOf } from '../store/evaluate-draft.ts';

/** The selectable systems, by kind. */

export interface SystemEntry {
  id: string;
  title: string;
  /** One sentence. */
  summary: string;
  /** The recipe itself, or the base of a custom system. */
  recipe: Recipe;
  /** Only for custom systems. */
  custom: CustomSystem | null;
}

/** Systems of one kind, under one heading. */
export interface SystemGroup {
  name: string;
  entries: readonly SystemEntry[];
}

const ofRecipe = (recipe: Recipe): SystemEntry => ({
  id: recipe.id,
  title: recipe.title,
  summary: recipe.summary,
  recipe,
  custom: null,
});

/** A custom system as an entry; undefined if its recipe is unknown. */
export const customEntry = (custom: CustomSystem): SystemEntry[] => {
  const recipe = RECIPES.find(({ id }) => id === custom.base);
  const summary = custom.notes === '' ? `Based on ${recipe?.title ?? custom.base}.` : custom.notes;
  return recipe ? [{ id: custom.id, title: custom.title, summary, recipe, custom }] : [];
};

const KINDS = ['trained by RL', 'trained otherwise', 'not trained'] as const;

const NAMES: Record<(typeof KINDS)[number], string> = {
  'trained by RL': 'Trained by reinforcement learning',
  'trained otherwise': 'Trained otherwise',
  'not trained': 'Without training',
};

/** A recipe without metadata counts as trained if it has a training. */
const kindOf = ({ about, training }: Recipe): (typeof KINDS)[number] =>
  about?.kind ?? (training.length > 0 ? 'trained by RL' : 'not trained');

/** Whether every word occurs in its id, title, summary, arXiv number or parts. */
const matches = (
  { id, title, summary, recipe }: SystemEntry,
  words: readonly string[],
): boolean => {
  const text = [id, title, summary, recipe.about?.paper ?? '', ...(recipe.about?.parts ?? [])]
    .join(' ')
    .toLowerCase();
  return words.every((word) => text.includes(word));
};

/**
 * Groups with matching entries.
 * @param filter words that must all occur
 */
export const systemGroups = (customs: readonly CustomSystem[], filter: string): SystemGroup[] => {
  const words = filter.toLowerCase().split(/\s+/u).filter(Boolean);
  const recipes = RECIPES.map(ofRecipe);
  return [
    { name: 'Your own', entries: customs.flatMap(customEntry) },
    ...KINDS.map((kind) => ({
      name: NAMES[kind],
      entries: recipes.filter(({ recipe }) => kindOf(recipe) === kind),
    })),
  ]
    .map(({ name, entries }) => ({
      name,
      entries: entries.filter((entry) => matches(entry, words)),
    }))
    .filter(({ entries }) => entries.length > 0);
};

/** The ablations of a recipe, as systems to select. */
export const ablationEntries = ({ recipe }: SystemEntry): SystemEntry[] =>
  ablationsOf(recipe).flatMap(customEntry);

/** The selection with these systems added or removed; the others keep their order. */
export const withTicked = (
  choices: readonly SystemChoice[],
  entries: readonly SystemEntry[],
  ticked: boolean,
): SystemChoice[] => {
  const ids = new Set(entries.map(({ id }) => id));
  const known = new Set(choices.map(idOf));
  if (!ticked) return choices.filter((choice) => !ids.has(idOf(choice)));
  // A custom system is copied into the spec, because it may be changed or deleted before the run.
  const added = entries.filter(({ id }) => !known.has(id));
  return [...choices, ...added.map(({ id, custom }): SystemChoice => custom ?? id)];
};
