import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { untrainable } from '../../src/learn/rl/trainable.ts';
import { checkRouter } from '../../src/learn/run/assemble.ts';
import { parseTrainSettings, withChanges } from '../../src/learn/settings/edit-settings.ts';
import {
  findTraining,
  getRecipe,
  getTraining,
  recipeOf,
  TRAININGS,
} from '../../src/recipes/index.ts';
import { recipeSettingsSchema, type RecipeSettings } from '../../src/recipes/parts/settings.ts';
import type { TrainSettings } from '../../src/recipes/parts/training.ts';

const IDS = TRAININGS.map(({ id }) => id);

describe('trainings', () => {
  it.each(IDS)('%s is valid, and 64 rollouts a step; of a round that is one step, 512', (id) => {
    const settings = getTraining(id);
    expect(parseTrainSettings(JSON.parse(JSON.stringify(settings)))).toEqual(settings);
    const [{ steps, loss } = {}] = settings.stages;
    const whole = loss?.kind === 'dpo' && loss.rounds === steps;
    expect(settings.questions * settings.groupSize).toBe(whole ? 512 : 64);
  });

  // Paper and code: UR2 (1) and R1-Searcher with OpenRLHF's PolicyLoss (`masked_mean(…, dim=-1).mean()`);
  // Search-R1 with verl's `masked_mean` of each micro-batch (64 on 8 GPUs) over the number of these; DAPO
  // (8); GRPO's (3).
  it.each([
    ['kunlun-baize/whole', 'token-mean', null],
    ['kunlun-baize/dapo', 'token-mean', null],
    ['ur2/paper', 'sequence-mean', null],
    ['ur2-released/two-stages', 'sequence-mean', null],
    ['r1-searcher/reinforce++', 'sequence-mean', null],
    ['search-r1/grpo', 'token-mean', 8],
    ['search/grpo', 'sequence-mean', null],
  ])('%s aggregates as its source: %s', (id, aggregation, microBatch) => {
    expect(IDS).toContain(id);
    expect(getTraining(id).objective).toMatchObject({ aggregation, microBatch });
  });

  it('draw from the whole vocabulary, and say so where their source does not', () => {
    expect(IDS.map((id) => getTraining(id).topP)).toEqual(IDS.map(() => 1));
    for (const id of [
      'ur2/paper',
      'ur2-released/two-stages',
      'search-r1/grpo',
      'r1-searcher/reinforce++',
    ])
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

  it('run the loop of their recipe; DAPO alone runs the plain one, and says so', () => {
    for (const { id, recipe, variant } of TRAININGS) {
      if (variant.loop === undefined) expect(getTraining(id).recipe).toBe(recipe.id);
    }
    expect(getTraining('kunlun-baize/dapo').recipe).toBe('search');
    expect(findTraining('kunlun-baize/dapo')?.variant.departures).toContain('plain search loop');
  });

  it('kunlun-baize alone is the whole of it: its loop, warm-up, schedule, router and reward by form', () => {
    const settings = getTraining('kunlun-baize');
    expect([settings.preset, settings.recipe]).toEqual(['kunlun-baize/whole', 'kunlun-baize']);
    expect(settings.warmUp?.from).toBe('own');
    expect(settings.curriculum.kind).toBe('gold-noise');
    expect(settings.router).toMatchObject({
      train: 'beside',
      evaluation: 'argmax',
      nlr: { reward: 'measured' },
    });
    expect(settings.stages.map(({ reward }) => reward)).toEqual(['kunlun-by-form']);
    expect(settings.objective).toMatchObject({ clip: { low: 0.2, high: 0.28 } });
    const { retrieval, background, stie } = getRecipe('kunlun-baize').settings;
    expect([retrieval.source, background.source]).toEqual(['router', 'router']);
    expect(background.mode).toBe('shown-and-used-by-T');
    expect([stie.mode, stie.current]).toEqual(['corrected', 'first-sample']);
  });

  // The ablations of docs/methods.md, section 1.
  it.each([
    ['overrides.background.mode=off'],
    ['overrides.stie.overAnswers=false'],
    ['overrides.stie.overQueries=false'],
    ['overrides.stie.mode=off'],
    ['overrides.stie.mode=paper'],
    ['overrides.retrieval.source=both', 'overrides.background.source=both', 'router.train=off'],
    ['overrides.retrieval.source=local', 'overrides.background.source=local', 'router.train=off'],
    ['overrides.retrieval.source=web', 'overrides.background.source=web', 'router.train=off'],
    ['overrides.nlr.reward=paper'],
    ['curriculum.kind=uniform'],
    ['curriculum.noiseReading=floor'],
    ['warmUp=null'],
    ['overrides.retrieval.method=cluster'],
  ])(
    'kunlun-baize without a part is a change of its settings that can be trained: %s',
    (...changes) => {
      const settings = withChanges(getTraining('kunlun-baize'), changes);
      expect(untrainable(settings)).toBeNull();
      expect(() => checkRouter(settings)).not.toThrow();
      expect(settings).not.toEqual(getTraining('kunlun-baize'));
    },
  );

  it('an id that trains nothing names those that do and are like it', () => {
    expect(() => getTraining('ppo')).toThrow(
      `no recipe "ppo" to train by; did you mean search-r1/ppo, smart-rag/ppo or smart-rag/reset-ppo? There are ${TRAININGS.length}: `,
    );
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
    'ur2-released': 'ur2-released/two-stages',
  };

  /**
   * A loop of then as today's defaults read it: parts that came later are off; STIE, which these loops leave
   * off too, reads y_t otherwise by default now. What a run stores says how.
   */
  const today = (loop: RecipeSettings): RecipeSettings => {
    expect(loop.stie).toMatchObject({ mode: 'off', current: 'most-confident' });
    const { stie, ...rest } = recipeSettingsSchema.parse(loop);
    return { ...rest, stie: { ...stie, current: 'first-sample' } };
  };

  it('are these', () => {
    expect(presets.map(({ settings }) => settings.preset)).toEqual(Object.keys(renamed));
  });

  // UR² ran the plain search loop then, and it has one of its own now: a new run is another one.
  const same = Object.entries(renamed).filter(([old]) => !old.startsWith('ur2'));

  it.each(same)('%s trains as it did but for three passages a search, as %s', (old, id) => {
    const { settings, loop } = presets.find((one) => one.settings.preset === old)!;
    const { recipe, recipeVersion, ...now } = getTraining(old);
    expect(recipeVersion).toBe('2');
    expect(now).toEqual({ ...settings, preset: id, recipe: undefined });
    const then = today(loop);
    const { retrieval } = then;
    // A dialect is for policies that are asked in words.
    const { dialect: _, ...loopNow } = getRecipe(recipe).settings;
    expect(loopNow).toEqual({ ...then, retrieval: { ...retrieval, k: 3 } });
  });

  it.each(Object.entries(renamed))(
    'a stored run of %s keeps every number, and its loop',
    (old, id) => {
      const { settings, loop } = presets.find((one) => one.settings.preset === old)!;
      const stored = parseTrainSettings(settings);
      expect(stored).toEqual({ ...settings, preset: id, recipeVersion: '1' });
      expect(recipeOf(stored).settings).toEqual(today(loop));
    },
  );

  it('a run that was stored with the plain loop under the name ur2 keeps it', () => {
    const { recipeVersion: _, ...before } = { ...getTraining('search/grpo'), recipe: 'ur2' };
    const stored = parseTrainSettings(before);
    expect(stored).toEqual({ ...before, recipeVersion: '1' });
    const plain = presets.find(({ settings }) => settings.preset === 'grpo-em')!;
    expect(recipeOf(stored).settings).toEqual(today(plain.loop));
    // Stored again by this version, it means the same.
    expect(parseTrainSettings(JSON.parse(JSON.stringify(stored)))).toEqual(stored);
  });

  it('the id that was `ur2/released` names the recipe of the released code', () => {
    expect(findTraining('ur2/released')?.id).toBe('ur2-released/two-stages');
    expect(getTraining('ur2/released')).toEqual(getTraining('ur2-released'));
    const { recipeVersion: _, ...plain } = getTraining('search/grpo');
    const stored = { ...plain, preset: 'ur2/released', recipe: 'ur2' };
    expect(parseTrainSettings(stored)).toMatchObject({
      preset: 'ur2-released/two-stages',
      recipeVersion: '1',
    });
  });
});

describe('the loop of another recipe', () => {
  it.each(['verl-tool', 'rex-rag', 'empirical'])(
    '%s speaks the tags of Search-R1, and where a run began without them goes on so',
    (recipe) => {
      expect(getRecipe(recipe).settings.dialect).toBe('search-r1');
      const { dialect, ...former } = recipeOf({ recipe, recipeVersion: '1' }).settings;
      expect(dialect).toBeUndefined();
      expect({ ...former, dialect: 'search-r1' }).toEqual(getRecipe(recipe).settings);
    },
  );

  it('is today’s where it is named by a change', () => {
    const changed = withChanges(getTraining('search/grpo'), ['recipe=ur2']);
    expect(changed.recipeVersion).toBe('2');
    expect(recipeOf(changed).settings.retrieval).toMatchObject({ maxSearches: 4, summarize: 'on' });
    const old = withChanges(getTraining('search/grpo'), ['recipe=ur2', 'recipeVersion="1"']);
    const plain = recipeOf({ recipe: 'search', recipeVersion: '1' });
    expect(plain.version).toBe('1');
    expect(recipeOf(old).settings).toEqual(plain.settings);
  });
});
