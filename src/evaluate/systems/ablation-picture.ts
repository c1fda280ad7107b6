import { oneLine } from '../../base/errors.ts';
import type { Recipe } from '../../recipes/parts/recipe.ts';
import type { SettingsOverride } from '../../recipes/parts/settings.ts';
import type { CustomSystem } from './custom.ts';
import type { EvaluatedSystem, EvaluationResult } from './result.ts';
import type { SystemsTable, TableRow } from './table/shape.ts';

/** A system beside itself without one part, or with another setting. */

interface Part {
  name: string;
  has: (recipe: Recipe) => boolean;
  without: SettingsOverride;
}

const PARTS: readonly Part[] = [
  {
    name: 'background',
    has: ({ settings }) => settings.background.mode !== 'off',
    without: { background: { mode: 'off' } },
  },
  {
    name: 'query and answer filter',
    has: ({ settings }) => settings.stie.mode !== 'off',
    without: { stie: { mode: 'off' } },
  },
  {
    name: 'router',
    has: ({ settings }) => settings.retrieval.source === 'router',
    without: { retrieval: { source: 'both' } },
  },
  {
    name: 'summaries',
    has: ({ settings }) => settings.retrieval.summarize === 'on',
    without: { retrieval: { summarize: 'off' } },
  },
  {
    name: 'several searches',
    has: ({ settings }) => settings.loop === 'agent' && settings.retrieval.maxSearches > 1,
    without: { retrieval: { maxSearches: 1 } },
  },
];

/** The systems that a recipe is compared with to see what each of its parts does: it without one of them. */
export function ablationsOf(recipe: Recipe): CustomSystem[] {
  const { settings } = recipe;
  const blocks: Part[] = settings.blocks.map((block) => ({
    name: `${block} block`,
    has: () => true,
    without: { blocks: settings.blocks.filter((other) => other !== block) },
  }));
  return [...PARTS, ...blocks]
    .filter(({ has }) => has(recipe))
    .map(({ name, without }) => ({
      format: 'forage.system/1',
      id: `${recipe.id}-without-${name.replaceAll(/\W+/gu, '-')}`,
      title: `${recipe.title} without ${name}`,
      base: recipe.id,
      changes: without,
      notes: '',
    }));
}

/** One variant of a system. */
interface AblationRow {
  system: string;
  /** For each setting of the matrix what it is here, as text. */
  settings: string[];
  row: TableRow;
}

export interface AblationMatrix {
  /** Recipe that the rows are variants of. */
  recipe: string;
  /** Settings in which they differ, as `stie.mode`. */
  settings: string[];
  rows: AblationRow[];
}

const words = (value: unknown): string =>
  typeof value === 'string' ? value : oneLine(JSON.stringify(value) ?? 'none');

/**
 * Variants of one recipe under one policy and retrieval setting, with what each changes; null for a recipe
 * without variants in the evaluation. The table says what each costs: with the whole system as its
 * reference, its differences are those of the parts.
 */
export function ablationMatrix(
  { systems }: Pick<EvaluationResult, 'systems'>,
  table: SystemsTable,
  whole: EvaluatedSystem,
): AblationMatrix | null {
  const own = systems.filter(
    ({ recipe, policy, retrieval }) =>
      recipe === whole.recipe && policy === whole.policy && retrieval === whole.retrieval,
  );
  const settings = [
    ...new Set(own.flatMap(({ changes = [] }) => changes.map(({ setting }) => setting))),
  ];
  if (settings.length === 0) return null;
  const recipes = new Map(
    own.flatMap(({ changes = [] }) => changes.map(({ setting, from }) => [setting, from] as const)),
  );
  return {
    recipe: whole.recipe,
    settings,
    rows: own.flatMap(({ id, changes = [] }) => {
      const row = table.rows.find(({ system }) => system === id);
      if (!row) return [];
      return [
        {
          system: id,
          settings: settings.map((setting) => {
            const changed = changes.find((one) => one.setting === setting);
            return words(changed ? changed.to : recipes.get(setting));
          }),
          row,
        },
      ];
    }),
  };
}
