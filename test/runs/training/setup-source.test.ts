import { expect, it } from 'vitest';
import { parseTrainSettings, withChanges } from '../../../src/learn/rl/edit-settings.ts';
import { getRecipe, withOverrides } from '../../../src/recipes/index.ts';
import type { TrainSettings } from '../../../src/learn/rl/settings.ts';
import { withSource } from '../../../src/runs/training/setup-source.ts';
import { PRESETS } from '../../../src/learn/rl/presets.ts';

const settings = PRESETS[0]!;
const sourcesOf = (one: TrainSettings) => {
  const { retrieval, background } = withOverrides(getRecipe(one.recipe).settings, one.overrides);
  return [retrieval.source, background.source];
};

it('what a setup says of sources is written into the settings of the run', () => {
  const run = withSource(settings, { source: 'local' });
  expect(sourcesOf(run)).toEqual(['local', 'local']);
  expect(parseTrainSettings(JSON.parse(JSON.stringify(run)))).toEqual(run);
  const more = withChanges(settings, ['overrides.retrieval.k=3']);
  expect(withSource(more, { source: 'local' }).overrides).toMatchObject({
    retrieval: { k: 3, source: 'local' },
  });
});

it('settings stay where the setup says nothing, they name a source, or the router is trained', () => {
  expect(withSource(settings, { source: 'recipe' })).toBe(settings);
  const named = withChanges(settings, ['overrides.retrieval.source=both']);
  expect(withSource(named, { source: 'local' })).toBe(named);
  const routed = withChanges(settings, ['router.train=beside']);
  expect(withSource(routed, { source: 'local' })).toBe(routed);
});
