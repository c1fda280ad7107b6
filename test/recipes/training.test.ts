import { describe, expect, it } from 'vitest';
import { untrainable } from '../../src/learn/rl/trainable.ts';
import { checkRouter } from '../../src/learn/run/assemble.ts';
import { overridesInForce } from '../../src/learn/settings/overrides.ts';
import { parseTrainSettings, withChanges } from '../../src/learn/settings/edit-settings.ts';
import {
  findTraining,
  getRecipe,
  getTraining,
  recipeOf,
  TRAININGS,
} from '../../src/systems/index.ts';

const IDS = TRAININGS.map(({ id }) => id);

describe('trainings', () => {
  it.each(IDS)('%s is valid, and 64 rollouts per step; of a round that is one step, 512', (id) => {
    const settings = getTraining(id);
    expect(parseTrainSettings(JSON.parse(JSON.stringify(settings)))).toEqual(settings);
    const [{ steps, loss } = {}] = settings.stages;
    const whole = loss && 'rounds' in loss && loss.rounds === steps;
    expect(settings.questions * settings.groupSize).toBe(whole ? 512 : 64);
  });

  // Paper and code: UR2 (1) and R1-Searcher with OpenRLHF's PolicyLoss (`masked_mean(…, dim=-1).mean()`);
  // Search-R1 with verl's `masked_mean` of each micro-batch (64 on 8 GPUs) over the number of these; DAPO
  // (8); GRPO's (3).
  it.each([
    ['kunlun-baize/whole', 'token-mean'],
    ['kunlun-baize/dapo', 'token-mean'],
    ['ur2/paper', 'sequence-mean'],
    ['ur2-released/two-stages', 'sequence-mean'],
    ['r1-searcher/reinforce++', 'sequence-mean'],
    ['search-r1/grpo', { microBatch: 8 }],
    ['search/grpo', 'sequence-mean'],
  ])('%s aggregates as its source: %j', (id, aggregation) => {
    expect(IDS).toContain(id);
    expect(getTraining(id).objective.aggregation).toEqual(aggregation);
  });

  it('draw from the whole vocabulary, and say so where their source does not', () => {
    for (const id of [
      'ur2/paper',
      'ur2-released/two-stages',
      'search-r1/grpo',
      'r1-searcher/reinforce++',
    ])
      expect(findTraining(id)?.variant.differences).toContain('top-p');
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
    expect(findTraining('kunlun-baize/dapo')?.variant.differences).toContain('plain search loop');
  });

  it('kunlun-baize alone is the whole of it: its loop, warm-up, schedule, router and reward by form', () => {
    const settings = getTraining('kunlun-baize');
    expect([settings.preset, settings.recipe]).toEqual(['kunlun-baize/whole', 'kunlun-baize']);
    expect(settings.warmUp?.own).toEqual({ rollouts: 256 });
    expect(settings.curriculum.system?.id).toBe('kunlun-baize');
    expect(settings.router.train).toBe('beside');
    expect(overridesInForce(settings).nlr?.reward).toBe('measured');
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
    ['curriculum.system=null'],
    ['curriculum.system.noiseFloor=0.1'],
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

  it('another system’s curriculum has its own parameters, and a part that is off can be set', () => {
    const { curriculum } = withChanges(getTraining('kunlun-baize'), ['curriculum.system.id=ur2']);
    expect(curriculum.system).toEqual(getTraining('ur2/paper').curriculum.system);
    const off = withChanges(getTraining('kunlun-baize'), ['curriculum.system=null']);
    const again = withChanges(off, ['curriculum.system.id=ur2', 'curriculum.system.pool=8']);
    expect(again.curriculum.system).toEqual({ ...curriculum.system, pool: 8 });
  });

  it('an id that trains nothing names those that do and are like it', () => {
    expect(() => getTraining('ppo')).toThrow(
      `no recipe "ppo" to train by; did you mean search-r1/ppo, smart-rag/ppo or smart-rag/reset-ppo? There are ${TRAININGS.length}: `,
    );
    expect(() => getTraining('naive-rag')).toThrow(/has no training.*recipe=naive-rag/);
  });
});

describe('the loop of another recipe', () => {
  it('is that recipe’s where it is named by a change', () => {
    const changed = withChanges(getTraining('search/grpo'), ['recipe=ur2']);
    expect(recipeOf(changed)).toBe(getRecipe('ur2'));
    expect(changed.preset).toBe('search/grpo');
  });
});
