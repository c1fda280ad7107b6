import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { merge } from '../../src/base/objects.ts';
import { parseTrainSettings } from '../../src/learn/settings/edit-settings.ts';
import { untrainable } from '../../src/learn/rl/trainable.ts';
import { getTraining, RECIPES, TRAININGS } from '../../src/systems/index.ts';
import { getSwitch, SWITCHES } from '../../src/recipes/switches/list.ts';
import { isOn, unfit, withSwitches } from '../../src/recipes/switches/put.ts';

/** Why a training with these switches over it is refused; null where it can be trained. */
const refusal = (training: string, ...ids: string[]): string | null => {
  try {
    const settings = withSwitches(getTraining(training), ids.map(getSwitch));
    return untrainable(parseTrainSettings(settings))?.message ?? null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

const IDS = SWITCHES.map(({ id }) => id);

const KNOWN = [
  'speed-rl',
  'online-filtering',
  'one-shot-rlvr',
  'sws',
  'diversity',
  'gppo',
  'kdrl',
  'guide',
  'fspo',
  'fspo-as-released',
  'posterior-grpo',
  'verifier-pitfalls',
];

it('are settings that a worker knows, which loads systems and rewards and not the list of switches', () => {
  const settings = IDS.map((id) => withSwitches(getTraining('search/grpo'), [getSwitch(id)]));
  const script = `
    import './src/systems/index.ts';
    import './src/systems/rewards.ts';
    import { parseTrainSettings } from './src/learn/settings/edit-settings.ts';
    for (const one of ${JSON.stringify(settings)}) parseTrainSettings(one);`;
  const node = ['--import', 'tsx', '--input-type=module', '-e', script];
  expect(() => execFileSync(process.execPath, node, { stdio: 'pipe' })).not.toThrow();
});

describe('switches of training', () => {
  it('are these at least, under ids that nothing else has', () => {
    expect(IDS.filter((id) => KNOWN.includes(id))).toEqual(KNOWN);
    const all = [...RECIPES.map(({ id }) => id), ...IDS];
    expect(new Set(all).size).toBe(all.length);
    expect(() => getSwitch('x')).toThrow(`there is no switch "x"; there are ${IDS.join(', ')}`);
  });

  it.each(IDS)(
    '%s can be trained under plain GRPO and two other recipes, and is on in them',
    (id) => {
      for (const training of ['search/grpo', 'search-r1-format/grpo', 'verl-tool/dapo']) {
        expect(refusal(training, id)).toBeNull();
        const one = getSwitch(id);
        expect(isOn(getTraining(training), one)).toBe(false);
        const on = withSwitches(getTraining(training), [one]);
        expect(SWITCHES.filter((other) => isOn(on, other))).toEqual([one]);
      }
    },
  );

  it.each(SWITCHES)('$id is the same in an arm of a study over a recipe of one stage', (one) => {
    const base = getTraining('search/grpo');
    const arm = parseTrainSettings(merge(base, one.changes));
    expect(withSwitches(base, [one])).toEqual(arm);
  });

  it('have the settings that the studies of switches train', () => {
    const trained = ['7-switches', 'signatures-teaching'].flatMap((name) => {
      const path = resolve(import.meta.dirname, `../../training/studies/${name}.json`);
      const { arms } = JSON.parse(readFileSync(path, 'utf8')) as { arms: { training?: unknown }[] };
      return arms.map(({ training }) => training);
    });
    for (const id of KNOWN) {
      const { stages, ...rest } = getSwitch(id).changes;
      const rewards = stages?.map(({ reward, weights }) => ({ reward, weights, steps: 10 }));
      const own = { ...rest, ...(rewards && { stages: rewards }) };
      expect(trained, id).toContainEqual(own);
    }
  });

  it('puts its reward into every stage, and leaves the stages otherwise as they are', () => {
    const before = getTraining('r1-searcher/reinforce++');
    const { stages } = withSwitches(before, [getSwitch('fspo')]);
    expect(stages).toEqual(
      before.stages.map((stage) => ({ ...stage, reward: 'fspo', weights: {} })),
    );
    expect(stages).toHaveLength(2);
  });

  it('go together where they change different settings', () => {
    const ids = ['speed-rl', 'online-filtering', 'sws', 'gppo', 'fspo', 'verifier-pitfalls'];
    expect(refusal('search/grpo', ...ids)).toBeNull();
    const on = withSwitches(getTraining('search/grpo'), ids.map(getSwitch));
    expect(SWITCHES.filter((one) => isOn(on, one)).map(({ id }) => id)).toEqual(ids);
  });

  it.each([
    ['fspo', 'posterior-grpo', 'stages.0.reward'],
    ['fspo', 'fspo-as-released', 'objective.rules.fspo'],
    ['one-shot-rlvr', 'sws', 'curriculum.system'],
  ])('%s and %s are refused together, by the setting that both change', (a, b, path) => {
    expect(refusal('search/grpo', a, b)).toBe(
      `the switches ${a} and ${b} both change ${path}; leave one of them out`,
    );
  });

  it.each([
    [
      'sws',
      'zero-search/grpo',
      /changes curriculum\.system, and the recipe needs that of zero-search/,
    ],
    [
      'one-shot-rlvr',
      'kunlun-baize/whole',
      /curriculum\.system, and the recipe needs that of kunlun-baize/,
    ],
    ['gppo', 'ex-search/em', /changes the policy gradient, and the recipe learns by sft/],
    ['gppo', 'hrpo/hrpo', /there is no clip/],
    ['posterior-grpo', 'tool-star/dpo', /it sets a reward, and a stage learns by dpo/],
    ['speed-rl', 'dto/dpo', /stages that learn from stored trajectories make no rollouts/],
    ['speed-rl', 'tree-rpo/grpo', /Only 2 rollouts of a group start at the question/],
    ['fspo', 'search-r1/ppo', /not those of a critic/],
    ['guide', 'arpo/grpo', /both change how the rollouts of a group come from each other/],
  ])('%s is refused over %s with the reason', (id, training, why) => {
    expect(refusal(training, id)).toMatch(why);
  });

  it('fit every recipe of one stage that is trained by the policy gradient on its own questions', () => {
    const plain = TRAININGS.filter(
      ({ variant: { settings } }) =>
        !settings.curriculum.system && settings.stages.every(({ loss }) => loss === undefined),
    );
    expect(plain.length).toBeGreaterThan(20);
    for (const { id } of plain)
      for (const one of SWITCHES) {
        const settings = getTraining(id);
        // Only one system can say how a group's rollouts come from each other.
        if (settings.branching && one.changes.branching) continue;
        expect(unfit(settings, one)).toBeNull();
      }
  });

  it('leave the recipes as they are', () => {
    const before = structuredClone(getTraining('search/grpo'));
    withSwitches(getTraining('search/grpo'), SWITCHES.slice(0, 1));
    expect(getTraining('search/grpo')).toEqual(before);
  });

  it('asks for a pool that its steps go through more than once, so that accuracies can spread', () => {
    const { curriculum, questions } = withSwitches(getTraining('search/grpo'), [
      getSwitch('one-shot-rlvr'),
    ]);
    const { probeSteps, pool } = curriculum.system as unknown as Record<
      'probeSteps' | 'pool',
      number
    >;
    expect(probeSteps * questions).toBeGreaterThanOrEqual(2 * pool);
  });
});
