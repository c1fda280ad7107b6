import { describe, expect, it } from 'vitest';
import { mapToTrl, type TrlArguments } from '../../../src/handover/export/mapping/trl.ts';
import { settingsWithout } from '../../../src/handover/export/without.ts';
import { ESTIMATORS, type TrainSettings } from '../../../src/recipes/parts/training.ts';
import { changed, inputOf } from './source.ts';

const map = (settings: TrainSettings) => mapToTrl(inputOf(settings));
const grpoOf = (settings: TrainSettings) => map(settings).arguments.grpo;
const refused = (settings: TrainSettings) => map(settings).refusals.map(({ setting }) => setting);

type Objective = TrainSettings['objective'];

const AGGREGATIONS = [
  'token-mean',
  { microBatch: 8 },
  { microBatch: 24 },
  'sequence-mean',
  { constant: 512 },
] as const;
/** Of these, but for the third, which is refused. */
const LOSS_TYPES = ['dapo', 'bnpo', '', 'grpo', 'dr_grpo'];

/** Every combination of what an objective chooses. */
function objectives(): Objective[] {
  const base = changed('search/grpo', {}).objective;
  const all: Objective[] = [];
  for (const estimator of ESTIMATORS)
    for (const aggregation of AGGREGATIONS)
      for (const clip of [null, { low: 0.2, high: 0.28 }, { low: 0, high: 4 }])
        for (const dualClip of [null, 1, 3])
          for (const place of ['off', 'loss', 'reward'] as const)
            for (const form of ['k1', 'k2', 'k3'] as const)
              all.push({
                ...base,
                estimator,
                aggregation,
                clip,
                dualClip,
                kl: { form, place, coefficient: 0.01 },
              });
  return all;
}

/** By hand, of TRL 1.16.0's `_compute_loss` and `_generate_and_score_completions`. */
function refusedByHand({ estimator, clip, dualClip, kl, aggregation }: Objective) {
  const names = [];
  if (['rloo', 'reinforce++-baseline', 'whitened-grpo'].some((one) => one === estimator))
    names.push('objective.estimator');
  // min(ρ, δ)·A meets clip(ρ)·A only after it: with a clip of 1 + 4, a δ of 3 would lift the ceiling to 5.
  if (dualClip !== null && (clip === null || clip.high + 1 > dualClip))
    names.push('objective.dualClip');
  if (kl.place === 'reward') names.push('objective.kl.place');
  if (kl.place === 'loss' && kl.form !== 'k3') names.push('objective.kl.form');
  // 64 rollouts per update: micro-batches of 24 leave 16.
  if (aggregation === AGGREGATIONS[2]) names.push('objective.aggregation');
  return names;
}

describe('the objective on TRL', () => {
  it('every combination is mapped to what TRL computes alike, or refused by name', () => {
    const all = objectives();
    let mapped = 0;
    for (const objective of all) {
      const settings = changed('search/grpo', { objective });
      const names = refusedByHand(objective);
      expect(refused(settings)).toEqual(names);
      if (names.length > 0) continue;
      mapped++;
      const { estimator, aggregation, clip, dualClip, kl } = objective;
      const at = AGGREGATIONS.findIndex((one) => one === aggregation);
      expect(grpoOf(settings)).toMatchObject({
        scale_rewards: estimator === 'dr-grpo' ? 'none' : 'group',
        loss_type: LOSS_TYPES[at],
        max_completion_length: at === 4 ? 512 : 1024,
        epsilon: clip ? clip.low : 1,
        epsilon_high: clip ? clip.high : 1e9,
        delta: dualClip,
        beta: kl.place === 'loss' ? 0.01 : 0,
        use_bias_correction_kl: false,
      });
      expect(map(settings).arguments.batch).toMatchObject({ micro: 8, exactly: at === 1 });
    }
    // Of 6 · 5 · 3 · 3 · 3 · 3: 3 estimators, of 9 clips 3 without a dual one and (0.28, 3), KL off in 3
    // forms and k3 in the loss, and of 5 aggregations all but one.
    expect(all).toHaveLength(2430);
    expect(mapped).toBe(3 * 4 * 4 * 4);
  });

  it('says by how much advantages differ', () => {
    // One of eight rewards unlike the others: σ = 1/√8 = 0.353553; (σ + 1e-6)/(σ + 1e-4) = 1 − 0.00027993.
    const text = map(changed('search/grpo', {})).notes.find(
      ({ setting }) => setting === 'objective.estimator',
    )?.text;
    expect(text).toContain('0.028 %');
  });
});

describe('the rest of a run on TRL', () => {
  it('counts steps in optimizer updates, and saves and logs by whole steps', () => {
    const settings = changed('search/grpo', { updates: 4, steps: 30, checkpointEvery: 5, seed: 3 });
    expect(grpoOf(settings)).toMatchObject({
      max_steps: 120,
      save_steps: 20,
      logging_steps: 4,
      num_generations: 8,
      generation_batch_size: 64,
      num_iterations: 1,
      seed: 3,
    });
    expect(map(settings).arguments.batch).toEqual({
      rollouts: 64,
      updates: 4,
      micro: 8,
      exactly: false,
    });
  });

  it('makes the steps that a run has left, at the rates of the whole run', () => {
    const settings = changed('search/grpo', {
      steps: 30,
      optimizer: { schedule: 'cosine', warmUpSteps: 4, learningRate: 2e-4 },
    });
    const mapping = mapToTrl({ ...inputOf(settings), startStep: 12, hasAdapter: true });
    expect(mapping.arguments.grpo).toMatchObject({ max_steps: 18 });
    expect(mapping.arguments.schedule).toEqual({
      shape: 'cosine',
      rate: 2e-4,
      warmUp: 4,
      steps: 30,
      startStep: 12,
    });
    expect(mapping.refusals).toEqual([]);
  });

  it('turns off TRL’s differing defaults', () => {
    expect(grpoOf(changed('search/grpo', {}))).toMatchObject({
      shuffle_dataset: false,
      mask_truncated_completions: false,
      disable_dropout: true,
      remove_unused_columns: false,
      vllm_importance_sampling_correction: false,
      top_k: 0,
      top_p: 1,
      temperature: 1,
      repetition_penalty: 1,
      importance_sampling_level: 'token',
      log_completions: true,
      num_completions_to_print: 0,
      lr_scheduler_type: 'constant',
      warmup_steps: 0,
    });
  });

  it('maps optimizer and adapter value by value', () => {
    const settings = changed('search/grpo', {
      optimizer: {
        learningRate: 3e-5,
        weightDecay: 0.1,
        clipNorm: 0.5,
      },
      adapter: { rank: 4, alpha: 9, targets: ['q_proj', 'v_proj'] },
    });
    const { arguments: mapped } = map(settings);
    expect(mapped.grpo).toMatchObject({
      optim: 'adamw_torch',
      learning_rate: 3e-5,
      adam_beta1: 0.9,
      adam_beta2: 0.99,
      adam_epsilon: 1e-8,
      weight_decay: 0.1,
      max_grad_norm: 0.5,
    });
    expect(mapped.lora).toMatchObject({
      r: 4,
      lora_alpha: 9,
      lora_dropout: 0,
      bias: 'none',
      target_modules: ['q_proj', 'v_proj'],
    } satisfies Partial<TrlArguments['lora']>);
  });

  it.each([
    ['dynamicSampling', { dynamicSampling: { by: 'reward', maxBatches: 1 } }, 'dynamic-sampling'],
    ['router.train', { router: { train: 'beside' } }, 'router'],
    ['router.train', { router: { train: 'alone' } }, null],
    ['shuffleRewards', { shuffleRewards: true }, null],
    ['groupSize', { groupSize: 1 }, null],
    ['overrides.sampling.topK', { overrides: { sampling: { topK: 5 } } }, null],
    ['updates', { updates: 5 }, null],
    [
      'warmUp',
      { warmUp: { length: { updates: 3 }, batch: 4, learningRate: 1e-3, onlyCorrect: true } },
      'warm-up',
    ],
    ['objective.kl.place', { objective: klOf('reward', 'k3') }, 'kl'],
    ['objective.kl.form', { objective: klOf('loss', 'k2') }, 'kl'],
  ] as const)('refuses %s, given %o', (setting, change, without) => {
    const settings = changed('search/grpo', change);
    const { refusals } = map(settings);
    expect(refusals.map((one) => [one.setting, one.without])).toEqual([[setting, without]]);
    if (without !== null) expect(refused(settingsWithout(settings, [without]))).toEqual([]);
  });

  it.each(['uniform', 'ur2', 'kunlun-baize'])('leaves a %s curriculum to the environment', (id) => {
    const system = id === 'uniform' ? null : { id };
    const settings = changed('search/grpo', { curriculum: { system } });
    expect(refused(settings)).toEqual([]);
    expect(grpoOf(settings)).toMatchObject({ shuffle_dataset: false });
  });
});

function klOf(place: 'loss' | 'reward', form: 'k2' | 'k3') {
  const { objective } = changed('search/grpo', {});
  return { ...objective, kl: { form, place, coefficient: 1e-3 } };
}
