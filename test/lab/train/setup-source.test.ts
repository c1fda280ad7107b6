import { expect, it } from 'vitest';
import { parseTrainSettings, withChanges } from '../../../src/learn/settings/edit-settings.ts';
import { getRecipe, getTraining } from '../../../src/systems/index.ts';
import { withOverrides } from '../../../src/recipes/parts/settings.ts';
import type { TrainSettings } from '../../../src/recipes/parts/training.ts';
import { withSource } from '../../../src/lab/train/setup-source.ts';

const settings = getTraining('kunlun-baize/dapo');
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

it('settings stay where the setup says nothing', () => {
  expect(withSource(settings, { source: 'recipe' })).toBe(settings);
});

it('what the settings name of searches stays, and the background is decided apart', () => {
  const named = (...changes: string[]): TrainSettings =>
    withSource(withChanges(settings, changes), { source: 'local' });
  expect(sourcesOf(named('overrides.retrieval.source=both'))).toEqual(['both', 'local']);
  expect(sourcesOf(named('overrides.retrieval.source=local'))).toEqual(['local', 'local']);
  expect(sourcesOf(named('overrides.background.source=both'))).toEqual(['local', 'both']);
  expect(named('overrides.background.mode=shown').overrides['background']).toEqual({
    mode: 'shown',
    source: 'local',
  });
  const routed = withChanges(settings, ['router.train=beside']);
  const before = sourcesOf(routed)[0];
  expect(sourcesOf(withSource(routed, { source: 'local' }))).toEqual([before, 'local']);
});

it('tags of the policy reach no other source where the searches are local', () => {
  const tagsOf = (...changes: string[]): boolean => {
    const { recipe, overrides } = withSource(withChanges(settings, changes), { source: 'local' });
    return withOverrides(getRecipe(recipe).settings, overrides).retrieval.honourTags;
  };
  expect(tagsOf()).toBe(false);
  expect(tagsOf('overrides.retrieval.source=local')).toBe(false);
  expect(tagsOf('overrides.retrieval.honourTags=true')).toBe(true);
  expect(tagsOf('overrides.retrieval.source=both')).toBe(true);
});
