import { describe, expect, it } from 'vitest';
import { hydraOverrides, mapToVerl } from '../../../src/handover/export/mapping/verl.ts';
import { withChanges } from '../../../src/learn/settings/edit-settings.ts';
import { getTraining, TRAININGS } from '../../../src/systems/index.ts';

const mapped = (
  changes: readonly string[] = [],
  { recipe = 'search/grpo', startStep = 0, hasAdapter = false } = {},
) =>
  mapToVerl({
    settings: withChanges(getTraining(recipe), changes),
    maxContext: 2048,
    startStep,
    hasAdapter,
  });

/** Overrides below a path, without it. */
const below = (path: string, changes: readonly string[] = [], more = {}) =>
  Object.fromEntries(
    Object.entries(mapped(changes, more).arguments).flatMap(([key, value]) =>
      key.startsWith(`${path}.`) ? [[key.slice(path.length + 1), value]] : [],
    ),
  );
const refused = (changes: readonly string[], more = {}): string[] =>
  mapped(changes, more).refusals.map(({ setting }) => setting);
const noted = (changes: readonly string[], more = {}): string[] =>
  mapped(changes, more).notes.map(({ setting }) => setting);

describe('sizes of a step', () => {
  it('counts questions, groups, updates and steps', () => {
    const changes = ['questions=12', 'groupSize=5', 'updates=3', 'steps=40'];
    expect(mapped(changes).arguments).toMatchObject({
      'data.train_batch_size': 12,
      'actor_rollout_ref.rollout.n': 5,
      'actor_rollout_ref.actor.ppo_mini_batch_size': 4,
      'actor_rollout_ref.actor.ppo_epochs': 1,
      'trainer.total_training_steps': 40,
      'trainer.total_epochs': 1,
    });
    expect(mapped(changes, { startStep: 15 }).arguments['trainer.total_training_steps']).toBe(25);
  });

  it('refuses updates that do not divide the questions', () => {
    expect(refused(['questions=8', 'updates=4'])).toEqual([]);
    expect(refused(['questions=8', 'updates=3'])).toEqual(['updates']);
  });

  it('keeps the order of the draws and cuts no prompt', () => {
    expect(below('data')).toMatchObject({
      shuffle: false,
      validation_shuffle: false,
      filter_overlong_prompts: false,
      max_prompt_length: 2048,
      max_response_length: 2048,
    });
    expect(below('actor_rollout_ref.rollout')['max_model_len']).toBe(2048);
  });
});

describe('the adapter', () => {
  it('is the same low-rank update, on the same matrices', () => {
    const model = below('actor_rollout_ref.model', [
      'adapter.rank=8',
      'adapter.alpha=20',
      'adapter.targets=["q_proj","v_proj"]',
    ]);
    expect(model).toMatchObject({
      lora_rank: 8,
      lora_alpha: 20,
      target_modules: ['q_proj', 'v_proj'],
      lora_adapter_path: null,
    });
    expect(below('actor_rollout_ref.model', [], { hasAdapter: true })['lora_adapter_path']).toBe(
      'adapter',
    );
  });
});

describe('advantages', () => {
  it.each([
    ['grpo', 'grpo', true],
    ['dr-grpo', 'grpo', false],
    ['rloo', 'rloo', true],
    ['reinforce++-baseline', 'reinforce_plus_plus_baseline', true],
  ])('%s', (estimator, name, byDeviation) => {
    expect(below('algorithm', [`objective.estimator=${estimator}`])).toMatchObject({
      adv_estimator: name,
      norm_adv_by_std_in_grpo: byDeviation,
    });
    expect(noted([`objective.estimator=${estimator}`]).includes('objective.estimator')).toBe(
      estimator === 'reinforce++-baseline',
    );
  });

  it('refuses to whiten GRPO’s', () => {
    expect(refused(['objective.estimator=whitened-grpo'])).toEqual(['objective.estimator']);
  });
});

describe('the clipped surrogate', () => {
  const actor = (...changes: string[]) => below('actor_rollout_ref.actor', changes);

  it('has both bounds, and none where there is none', () => {
    expect(actor('objective.clip.low=0.1', 'objective.clip.high=0.3')).toMatchObject({
      clip_ratio: 0.1,
      clip_ratio_low: 0.1,
      clip_ratio_high: 0.3,
    });
    // 1 − 1 = 0 is below every ratio.
    expect(actor('objective.clip=null')).toMatchObject({ clip_ratio_low: 1, clip_ratio_high: 1e9 });
  });

  it('has no dual clip unless asked: of itself verl has 3', () => {
    expect(actor()['clip_ratio_c']).toBe(1e9);
    expect(actor('objective.dualClip=3')['clip_ratio_c']).toBe(3);
    expect(refused(['objective.dualClip=1'])).toEqual(['objective.dualClip']);
  });

  it.each([
    ['token-mean', 'token-mean', null],
    ['sequence-mean', 'seq-mean-token-mean', null],
    ['{"constant":300}', 'seq-mean-token-sum-norm', 300],
  ])('adds up by %s', (aggregation, mode, factor) => {
    expect(actor(`objective.aggregation=${aggregation}`)).toMatchObject({
      loss_agg_mode: mode,
      loss_scale_factor: factor,
      entropy_coeff: 0,
    });
  });

  it('refuses means of micro-batches that are smaller than an update', () => {
    const own = ['questions=8', 'groupSize=8', 'updates=2'];
    const by = (microBatch: number) => `objective.aggregation={"microBatch":${microBatch}}`;
    expect(refused([...own, by(8)])).toEqual(['objective.aggregation']);
    expect(refused([...own, by(32)])).toEqual([]);
  });
});

describe('the KL', () => {
  const kl = (place: string, form: string) => [
    `objective.kl.place=${place}`,
    `objective.kl.form=${form}`,
    'objective.kl.coefficient=0.02',
  ];

  it.each([
    ['k1', 'kl'],
    ['k2', 'mse'],
    ['k3', 'low_var_kl'],
  ])('%s in the loss and in the reward', (form, name) => {
    expect(mapped(kl('loss', form)).arguments).toMatchObject({
      'actor_rollout_ref.actor.use_kl_loss': true,
      'actor_rollout_ref.actor.kl_loss_type': name,
      'actor_rollout_ref.actor.kl_loss_coef': 0.02,
      'algorithm.use_kl_in_reward': false,
    });
    expect(mapped(kl('reward', form)).arguments).toMatchObject({
      'actor_rollout_ref.actor.use_kl_loss': false,
      'algorithm.use_kl_in_reward': true,
      'algorithm.kl_penalty': name,
      'algorithm.kl_ctrl.type': 'fixed',
      'algorithm.kl_ctrl.kl_coef': 0.02,
    });
    // verl's k3 ends at 10 nats; k1 and k2 have no such end.
    expect(noted(kl('loss', form)).includes('objective.kl')).toBe(form === 'k3');
  });

  it('asks for no reference where it is off', () => {
    expect(mapped(kl('off', 'k3')).arguments).toMatchObject({
      'actor_rollout_ref.actor.use_kl_loss': false,
      'algorithm.use_kl_in_reward': false,
    });
  });
});

describe('the optimizer', () => {
  const optim = (...changes: string[]) => below('actor_rollout_ref.actor.optim', changes);

  it('is AdamW with the same numbers', () => {
    const changes = [
      'optimizer.learningRate=2e-5',
      'optimizer.weightDecay=0.1',
      'optimizer.clipNorm=0.5',
    ];
    expect(optim(...changes)).toMatchObject({
      lr: 2e-5,
      betas: [0.9, 0.99],
      weight_decay: 0.1,
      clip_grad: 0.5,
    });
    expect(
      mapped(changes).arguments['+actor_rollout_ref.actor.optim.override_optimizer_config.eps'],
    ).toBe(1e-8);
  });

  it('clips nothing at limit 0, which would be verl’s end of learning', () => {
    expect(optim('optimizer.clipNorm=0')['clip_grad']).toBe(1e9);
  });

  it('counts the schedule from 1, so that no step has rate 0', () => {
    const common = { lr_scheduler_type: 'cosine', zero_indexed_step: false, num_cycles: 0.5 };
    expect(optim('optimizer.warmUpSteps=7')).toMatchObject({
      ...common,
      min_lr_ratio: 1,
      lr_warmup_steps: 7,
    });
    expect(optim('optimizer.schedule=cosine')).toMatchObject({ ...common, min_lr_ratio: 0 });
  });

  it('continues a schedule only where it is constant', () => {
    const warm = 'optimizer.warmUpSteps=5';
    expect(refused([warm], { startStep: 3 })).toEqual(['optimizer.warmUpSteps']);
    expect(refused([warm], { startStep: 5 })).toEqual([]);
    expect(
      below('actor_rollout_ref.actor.optim', [warm], { startStep: 5 })['lr_warmup_steps'],
    ).toBe(0);
    expect(refused(['optimizer.schedule=cosine'], { startStep: 5 })).toEqual([
      'optimizer.schedule',
    ]);
  });
});

describe('groups that are drawn again', () => {
  it.each([
    ['reward', 'reward'],
    ['accuracy', 'acc'],
  ])('by %s', (by, metric) => {
    const changes = [`dynamicSampling.by=${by}`];
    expect(mapped(changes).arguments).toMatchObject({
      'algorithm.filter_groups.enable': true,
      'algorithm.filter_groups.metric': metric,
    });
    expect(noted(changes)).toContain('dynamicSampling');
    expect(mapped().arguments['algorithm.filter_groups.enable']).toBe(false);
  });
});

describe('held-out questions', () => {
  it('are asked as often and as warm, and not at all where there are none', () => {
    expect(mapped(['heldOut.every=5', 'heldOut.temperature=0.7']).arguments).toMatchObject({
      'trainer.test_freq': 5,
      'actor_rollout_ref.rollout.val_kwargs.temperature': 0.7,
      'actor_rollout_ref.rollout.val_kwargs.do_sample': true,
    });
    expect(mapped(['heldOut.temperature=0']).arguments).toMatchObject({
      'actor_rollout_ref.rollout.val_kwargs.do_sample': false,
    });
    expect(mapped(['heldOut.questions=0']).arguments['trainer.test_freq']).toBe(-1);
  });
});

describe('checkpoints', () => {
  const every = (changes: readonly string[]) => {
    const { arguments: all } = mapped(changes);
    return [all['trainer.save_freq'], all['trainer.test_freq']];
  };

  it('are written as often as is set, whatever is held out', () => {
    expect(every(['checkpointEvery=3', 'heldOut.questions=0'])).toEqual([3, -1]);
    expect(every(['checkpointEvery=3', 'heldOut.every=7'])).toEqual([3, 7]);
    expect(every(['checkpointEvery=20', 'heldOut.every=7'])).toEqual([20, 7]);
    expect(noted([])).toContain('checkpointEvery');
  });
});

describe('what only Forage does', () => {
  it.each([
    ['router.train=beside', 'router.train'],
    ['shuffleRewards=true', 'shuffleRewards'],
    ['warmUp={"length":{"updates":1},"batch":1,"learningRate":0.001,"onlyCorrect":true}', 'warmUp'],
  ])('%s is refused', (change, setting) => {
    expect(refused([change])).toEqual([setting]);
  });
});

describe('overrides', () => {
  it('are one argument a line, as Hydra writes values', () => {
    expect(
      hydraOverrides({
        'a.b': 1e-8,
        c: ['q_proj', 'v_proj'],
        d: null,
        e: true,
        f: 'D:/x y.parquet',
        g: "it's",
        h: '7',
      }),
    ).toBe("a.b=1e-8\nc=[q_proj,v_proj]\nd=null\ne=true\nf='D:/x y.parquet'\ng='it\\'s'\nh='7'\n");
  });

  it('name no argument twice, with and without a plus', () => {
    for (const { id } of TRAININGS) {
      const keys = Object.keys(mapped([], { recipe: id }).arguments).map((key) =>
        key.replace(/^\+/u, ''),
      );
      expect(new Set(keys).size).toBe(keys.length);
    }
  });
});
