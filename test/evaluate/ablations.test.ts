import { expect, it } from 'vitest';
import { BASELINE_ARMS, MECHANISM_ARMS } from '../../bench/mechanisms/arms.ts';
import { getRecipe } from '../../src/systems/index.ts';
import { withOverrides } from '../../src/recipes/parts/settings.ts';

it('every arm is a valid recipe with valid settings, and no two are the same', () => {
  for (const arms of [MECHANISM_ARMS, BASELINE_ARMS]) {
    const settings = arms.map(({ recipe, overrides }) =>
      JSON.stringify(withOverrides(getRecipe(recipe).settings, overrides)),
    );
    expect(new Set(settings).size).toBe(arms.length);
  }
});
