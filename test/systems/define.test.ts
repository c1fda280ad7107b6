import { expect, it } from 'vitest';
import { parseCustomSystem } from '../../src/evaluate/systems/custom.ts';
import { withChanges } from '../../src/learn/settings/edit-settings.ts';
import { withOverrides } from '../../src/recipes/parts/settings.ts';
import { getRecipe, getTraining, RECIPES } from '../../src/systems/index.ts';
import { run } from '../agent/helpers.ts';

/** A system's own parameters: settings like any other, checked by the schema of that system. */

it.each([
  ['web-thinker', { badQueris: 'end' }, 'system: Unrecognized key: "badQueris"'],
  ['web-thinker', { clicks: 0 }, 'system.clicks: '],
  ['search', { clicks: 3 }, 'system.id: name the system whose parameters these are'],
  ['search', { id: 'web-thinkr' }, 'did you mean web-thinker?'],
])('of %s, %o is refused by name, from every side', (recipe, system, why) => {
  const { settings } = getRecipe(recipe);
  const over = { system: system as { id?: string } };
  expect(() => withOverrides(settings, over)).toThrow(why);
  const file = { format: 'forage.system/1', id: 'own', title: 'Own', base: recipe, changes: over };
  expect(() => parseCustomSystem(file)).toThrow(why);
  const training = { ...getTraining('search/grpo'), recipe };
  const changes = Object.entries(system).map(([key, value]) => `overrides.system.${key}=${value}`);
  expect(() => withChanges(training, changes)).toThrow(why);
});

it('a setting of the core that a system took over is an unknown key', () => {
  const old = { retrieval: { lapses: 'end' } } as object;
  expect(() => withOverrides(getRecipe('web-thinker').settings, old)).toThrow(/retrieval.*lapses/u);
});

it('a dialect that no system declares is refused with those there are', () => {
  const { settings } = getRecipe('search');
  expect(() => withOverrides(settings, { dialect: 'serch-r1' })).toThrow(
    /dialect: .*"search-r1".*"tools"/u,
  );
  expect(withOverrides(settings, { dialect: 'search-r1' }).dialect).toBe('search-r1');
});

it('names the system of its own recipe alone', () => {
  for (const { id, settings } of RECIPES) expect(settings.system?.id ?? id).toBe(id);
});

it('is recorded with each rollout, so that the record says how it was made', async () => {
  const { rollout } = await run(
    { main: ['<think> t</think><short_answer> \\boxed{ Borfield }</short_answer>'] },
    { recipe: 'web-thinker', overrides: { system: { badQueries: 'end' } } },
  );
  expect(rollout.recipe.settings).toMatchObject({
    system: { id: 'web-thinker', badQueries: 'end' },
  });
});
