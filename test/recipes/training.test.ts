import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseTrainSettings } from '../../src/learn/settings/edit-settings.ts';
import { findTraining, getRecipe, getTraining, TRAININGS } from '../../src/recipes/index.ts';
import { recipeSettingsSchema, type RecipeSettings } from '../../src/recipes/settings.ts';
import type { TrainSettings } from '../../src/recipes/training.ts';

const IDS = TRAININGS.map(({ id }) => id);

describe('trainings', () => {
  it.each(IDS)('%s is valid, and 64 rollouts a step', (id) => {
    const settings = getTraining(id);
    expect(parseTrainSettings(JSON.parse(JSON.stringify(settings)))).toEqual(settings);
    expect(settings.questions * settings.groupSize).toBe(64);
  });

  // Paper and code: UR2 (1) and R1-Searcher with OpenRLHF's PolicyLoss (`masked_mean(…, dim=-1).mean()`);
  // Search-R1 with verl's `masked_mean` of each micro-batch (64 on 8 GPUs) over the number of these; DAPO
  // (8); GRPO's (3).
  it.each([
    ['kunlun-baize/dapo', 'token-mean', null],
    ['ur2/paper', 'sequence-mean', null],
    ['ur2/released', 'sequence-mean', null],
    ['r1-searcher/reinforce++', 'sequence-mean', null],
    ['search-r1/grpo', 'token-mean', 8],
    ['search/grpo', 'sequence-mean', null],
  ])('%s aggregates as its source: %s', (id, aggregation, microBatch) => {
    expect(IDS).toContain(id);
    expect(getTraining(id).objective).toMatchObject({ aggregation, microBatch });
  });

  it('draw from the whole vocabulary, and say so where their source does not', () => {
    expect(IDS.map((id) => getTraining(id).topP)).toEqual(IDS.map(() => 1));
    for (const id of ['ur2/paper', 'ur2/released', 'search-r1/grpo', 'r1-searcher/reinforce++'])
      expect(findTraining(id)?.variant.departures).toContain('top-p');
  });

  it('stored settings without a micro-batch mean what they meant', () => {
    const { microBatch: _, ...objective } = getTraining('search-r1/grpo').objective;
    const stored = { ...getTraining('search-r1/grpo'), objective };
    expect(parseTrainSettings(stored).objective.microBatch).toBeNull();
  });

  it('are copies', () => {
    getTraining('ur2/paper').stages[0]!.steps = 99;
    expect(getTraining('ur2/paper').stages[0]!.steps).toBe(10);
  });

  it('run the loop of their recipe; DAPO runs the plain one, and says so', () => {
    for (const { id, recipe, variant } of TRAININGS) {
      if (variant.loop === undefined) expect(getTraining(id).recipe).toBe(recipe.id);
    }
    expect(getTraining('kunlun-baize').recipe).toBe('search');
    expect(findTraining('kunlun-baize')?.variant.departures).toContain('plain search loop');
  });

  it('an id that trains nothing names those that do', () => {
    expect(() => getTraining('ppo')).toThrow(/"ppo".*kunlun-baize\/dapo, search\/grpo/);
    expect(() => getTraining('naive-rag')).toThrow(/no training of its own.*recipe=naive-rag/);
  });
});

describe('presets of version 0.1.0', () => {
  /** What that version meant by its presets, written by it. */
  const presets = JSON.parse(
    readFileSync(resolve(import.meta.dirname, '../fixtures/stored-by-0.1/presets.json'), 'utf8'),
  ) as { settings: TrainSettings; loop: RecipeSettings }[];

  const renamed = {
    'dapo-kunlun': 'kunlun-baize/dapo',
    ur2: 'ur2/paper',
    'search-r1-grpo': 'search-r1/grpo',
    'r1-searcher': 'r1-searcher/reinforce++',
    'grpo-em': 'search/grpo',
    'ur2-released': 'ur2/released',
  };

  it('are these', () => {
    expect(presets.map(({ settings }) => settings.preset)).toEqual(Object.keys(renamed));
  });

  it.each(Object.entries(renamed))('%s trains as it did, as %s', (old, id) => {
    const { settings, loop } = presets.find((one) => one.settings.preset === old)!;
    const { recipe, ...now } = getTraining(old);
    expect(now).toEqual({ ...settings, preset: id, recipe: undefined });
    // Parts that came later are off in it.
    expect(getRecipe(recipe).settings).toEqual(recipeSettingsSchema.parse(loop));
    // A stored run keeps every number, and the loop that it names.
    expect(parseTrainSettings(settings)).toEqual({ ...settings, preset: id });
  });
});
