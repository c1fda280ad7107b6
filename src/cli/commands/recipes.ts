import { measuredPolicy, verdictsFor } from '../../evaluate/study/signatures/measured.ts';
import { unmeasuredOf } from '../../evaluate/study/signatures/unmeasured.ts';
import { RECIPES } from '../../systems/index.ts';
import { constantsOf } from '../../recipes/parts/sources.ts';
import { SWITCHES } from '../../recipes/switches/list.ts';
import type { Recipe } from '../../recipes/parts/recipe.ts';
import { pathsOf } from '../../recipes/switches/put.ts';
import type { Switch } from '../../recipes/switches/switch.ts';
import { print, type Command } from '../shared/command.ts';

/** The `--json` record of a system or a switch. */
const described = (one: Recipe | Switch) => {
  const { id, title, summary, about } = one;
  return {
    id,
    title,
    summary,
    paper: about?.paper ?? null,
    kind: about?.kind ?? null,
    parts: about?.parts ?? [],
    departures: about?.differences ?? [],
    /** Constants with values and source; values without a source are Forage's own. */
    sources: constantsOf(one),
    published: about?.published ?? null,
    signature: about?.expectedEffect ?? null,
    /** Measured verdicts on the expected effect; empty where no study measured it. */
    measured: verdictsFor(id).map((verdict) => ({ ...verdict, policy: measuredPolicy })),
    /** Its clauses that no study measures. */
    unmeasured: unmeasuredOf(id),
  };
};

const system = (recipe: Recipe) => ({
  ...described(recipe),
  variants: recipe.training.map(({ name }) => `${recipe.id}/${name}`),
});

const switchOfTraining = (one: Switch) => ({
  ...described(one),
  variants: [],
  changes: one.changes,
});

const row = (
  id: string,
  title: string,
  about: { paper: string } | undefined,
  rest: string,
): string =>
  `${id.padEnd(18)} ${title.padEnd(30)} ${(about ? `arXiv ${about.paper}` : '').padEnd(17)} ${rest}`;

const lines = (): string[] => [
  ...RECIPES.map(({ id, title, about, training }) =>
    row(id, title, about, training.map(({ name }) => name).join(', ') || 'not trained'),
  ),
  '',
  'Training switches, for every system: lab train --switch ID',
  ...SWITCHES.map((one) => row(one.id, one.title, one.about, pathsOf(one).join(', '))),
];

export const recipesCommand: Command = {
  name: 'recipes',
  summary:
    'lists systems and training switches, with papers, parts, differences from the paper and expected effects',
  options: { json: { type: 'boolean', help: 'print one JSON array' } },
  run(values) {
    print(
      values.json === true
        ? JSON.stringify([...RECIPES.map(system), ...SWITCHES.map(switchOfTraining)], null, 2)
        : lines().join('\n'),
    );
    return Promise.resolve();
  },
};
