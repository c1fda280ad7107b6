import { ADAPTER_MOMENTS } from '../../../policy/lora/optimizer.ts';
import type { Json } from '../../../learn/rl/contracts.ts';
import {
  aggregationParts,
  groupEstimatorOf,
  type EstimatorId,
  type TrainSettings,
} from '../../../recipes/parts/training.ts';
import { commonRefusals } from './common.ts';
import type { Mapping, MappingInput, Note, Refusal } from './mapping.ts';
import { verlProcesses } from './processes.ts';

/** Hydra overrides of verl 0.9.1 for Forage's settings. Keys are paths of `trainer/config/ppo_trainer.yaml`. */

export type VerlArguments = Readonly<
  Record<string, string | number | boolean | null | (string | number)[]>
>;

/** No bound: of a ratio or a norm this large nothing is left to clip. */
const NO_LIMIT = 1e9;
/** Tokens that go through the model together on one GPU, at least one whole context. */
const TOKENS_PER_GPU = 16_384;

const AGGREGATIONS = {
  'token-mean': 'token-mean',
  'sequence-mean': 'seq-mean-token-mean',
  'micro-batch-mean': 'token-mean',
  'sum-over-constant': 'seq-mean-token-sum-norm',
} as const;

/** `kl` is k1, `mse` k2, `low_var_kl` k3; a `+` after the name would change the gradient. */
const KL_FORMS = { k1: 'kl', k2: 'mse', k3: 'low_var_kl' } as const;

const ESTIMATORS = {
  grpo: 'grpo',
  'dr-grpo': 'grpo',
  rloo: 'rloo',
  'reinforce++-baseline': 'reinforce_plus_plus_baseline',
  'whitened-grpo': null,
  'trl-grpo': null,
} as const satisfies Record<EstimatorId, string | null>;

const usesKl = ({ kl }: TrainSettings['objective'], place: 'loss' | 'reward'): boolean =>
  kl.place === place && kl.coefficient > 0;

function refusalsOf(input: MappingInput): Refusal[] {
  const { settings, startStep } = input;
  const { objective, optimizer, questions, groupSize, updates } = settings;
  const { dualClip } = objective;
  const { kind, of } = aggregationParts(objective.aggregation);
  const estimator = groupEstimatorOf(objective);
  const refusals = commonRefusals(input);
  const refuse = (setting: string, why: string): void =>
    void refusals.push({ setting, why, without: null });
  if (ESTIMATORS[estimator] === null)
    refuse('objective.estimator', `verl has no ${estimator}. Choose reinforce++-baseline or grpo`);
  if (dualClip !== null && dualClip <= 1)
    refuse(
      'objective.dualClip',
      `verl takes a constant above 1, and here it is ${dualClip}. Set it to null or to more than 1`,
    );
  if (kind === 'micro-batch-mean' && of * updates < questions * groupSize)
    refuse(
      'objective.aggregation',
      `verl 0.9 takes one mean over the tokens of an update, however it is split. Set it to token-mean for that`,
    );
  if (questions % updates !== 0)
    refuse(
      'updates',
      `verl splits the questions of a step evenly over its updates, and ${updates} does not divide ${questions}. Set it to a divisor`,
    );
  if (startStep > 0 && optimizer.schedule === 'cosine')
    refuse(
      'optimizer.schedule',
      `verl begins a schedule at its first step, and ${startStep} steps of this cosine are made already. Set it to constant`,
    );
  if (startStep > 0 && startStep < optimizer.warmUpSteps)
    refuse(
      'optimizer.warmUpSteps',
      `verl begins a warm-up at its first step, and ${startStep} of these ${optimizer.warmUpSteps} steps are made already. Train here until it is over, or set it to ${startStep} or less`,
    );
  return refusals;
}

function notesOf({ settings, startStep, hasAdapter }: MappingInput): Note[] {
  const { objective, updates, dynamicSampling, heldOut, checkpointEvery } = settings;
  const notes: Note[] = [];
  const note = (setting: string, text: string): void => void notes.push({ setting, text });
  if (objective.estimator === 'reinforce++-baseline')
    note(
      'objective.estimator',
      'verl whitens with the unbiased deviation: its advantages are √((N−1)/N) of Forage’s, N being the trained tokens of a step (0.05 % less at 1,000).',
    );
  if (usesKl(objective, 'loss') && objective.kl.form === 'k3')
    note(
      'objective.kl',
      'verl cuts k3 at 10 nats a token, and its slope with it: where the reference finds a token more than e^2.6 times likelier, or e^11 times less likely. Forage does not.',
    );
  if (usesKl(objective, 'reward') && objective.kl.form === 'k3')
    note('objective.kl', 'verl cuts k3 at 10 nats a token. Forage does not.');
  note(
    'updates',
    updates === 1
      ? 'Old log-probabilities are the trainer’s own, computed again before the update, so every ratio is 1. Forage takes the sampler’s, which differ by the gap between sampler and trainer.'
      : 'Forage puts rollout i into update i mod updates; verl orders rollouts by length for its GPUs first. The updates have the same sizes, and other members. Old log-probabilities are the trainer’s before the first update.',
  );
  if (AGGREGATIONS[aggregationParts(objective.aggregation).kind] !== 'token-mean')
    note(
      'objective.aggregation',
      'A rollout without model tokens counts in verl’s mean over sequences, but not in Forage’s.',
    );
  if (dynamicSampling)
    note(
      'dynamicSampling',
      `verl replaces groups that do not vary, two for one, until ${settings.questions} vary; it has no maxBatches (here ${dynamicSampling.maxBatches}: then Forage continues with the groups it has). Rows are used up as they are drawn; after the last, verl starts with the first again.`,
    );
  if (startStep > 0 && heldOut.questions > 0 && startStep % heldOut.every !== 0)
    note(
      'heldOut.every',
      `verl counts from its own first step: held-out questions are asked after ${startStep + heldOut.every}, ${startStep + 2 * heldOut.every} … steps of the run.`,
    );
  note(
    'checkpointEvery',
    `A checkpoint of verl has the whole model, in Forage only the adapter: one is written every ${checkpointEvery === 1 ? 'step' : `${checkpointEvery} steps`}, and the last two are kept. If that takes too long, raise checkpointEvery or trainer.save_freq.`,
  );
  note(
    'adapter',
    hasAdapter
      ? 'Training continues the adapter in adapter/. AdamW’s moments are not part of it and start at 0.'
      : 'A new adapter: A is drawn from the same distribution as in Forage, with torch’s random numbers, and B is 0, so the first step’s model is the same.',
  );
  return notes;
}

function objectiveOf({ objective }: TrainSettings): VerlArguments {
  const { clip, dualClip, kl } = objective;
  const { kind, of } = aggregationParts(objective.aggregation);
  const estimator = groupEstimatorOf(objective);
  return {
    'algorithm.adv_estimator': ESTIMATORS[estimator],
    'algorithm.norm_adv_by_std_in_grpo': estimator !== 'dr-grpo',
    'algorithm.gamma': 1,
    'algorithm.lam': 1,
    'algorithm.use_kl_in_reward': usesKl(objective, 'reward'),
    'algorithm.kl_penalty': KL_FORMS[kl.form],
    'algorithm.kl_ctrl.type': 'fixed',
    'algorithm.kl_ctrl.kl_coef': usesKl(objective, 'reward') ? kl.coefficient : 0,
    'algorithm.use_pf_ppo': false,
    // Sampler and trainer differ by rounding alone; nothing is weighted or left out for it.
    'algorithm.rollout_correction.rollout_is': null,
    'algorithm.rollout_correction.rollout_rs': null,
    'algorithm.rollout_correction.bypass_mode': false,
    'actor_rollout_ref.actor.policy_loss.loss_mode': 'vanilla',
    'actor_rollout_ref.actor.clip_ratio': clip?.low ?? 1,
    'actor_rollout_ref.actor.clip_ratio_low': clip?.low ?? 1,
    'actor_rollout_ref.actor.clip_ratio_high': clip?.high ?? NO_LIMIT,
    'actor_rollout_ref.actor.clip_ratio_c': dualClip ?? NO_LIMIT,
    'actor_rollout_ref.actor.loss_agg_mode': AGGREGATIONS[kind],
    'actor_rollout_ref.actor.loss_scale_factor': kind === 'sum-over-constant' ? of : null,
    'actor_rollout_ref.actor.entropy_coeff': 0,
    'actor_rollout_ref.actor.use_kl_loss': usesKl(objective, 'loss'),
    'actor_rollout_ref.actor.kl_loss_type': KL_FORMS[kl.form],
    'actor_rollout_ref.actor.kl_loss_coef': usesKl(objective, 'loss') ? kl.coefficient : 0,
  };
}

/**
 * Forage's rate of step s is `learningRateAt`. verl's `constant` begins its warm-up at rate 0; its cosine,
 * counted from 1 and held at the full rate by `min_lr_ratio` 1, is Forage's constant.
 */
function optimizerOf({ optimizer }: TrainSettings, startStep: number): VerlArguments {
  const prefix = 'actor_rollout_ref.actor.optim';
  return {
    [`${prefix}.optimizer`]: 'AdamW',
    [`${prefix}.optimizer_impl`]: 'torch.optim',
    [`${prefix}.lr`]: optimizer.learningRate,
    [`${prefix}.lr_scheduler_type`]: 'cosine',
    [`${prefix}.min_lr_ratio`]: optimizer.schedule === 'constant' ? 1 : 0,
    [`${prefix}.num_cycles`]: 0.5,
    [`${prefix}.zero_indexed_step`]: false,
    [`${prefix}.lr_warmup_steps`]: startStep > 0 ? 0 : optimizer.warmUpSteps,
    [`${prefix}.lr_warmup_steps_ratio`]: 0,
    [`${prefix}.betas`]: [ADAPTER_MOMENTS.beta1, ADAPTER_MOMENTS.beta2],
    [`${prefix}.weight_decay`]: optimizer.weightDecay,
    // Of verl a limit of 0 would leave no gradient; of Forage it is none.
    [`${prefix}.clip_grad`]: optimizer.clipNorm > 0 ? optimizer.clipNorm : NO_LIMIT,
    [`+${prefix}.override_optimizer_config.eps`]: ADAPTER_MOMENTS.eps,
  };
}

function rolloutOf({ settings, maxContext }: MappingInput): VerlArguments {
  const { groupSize, temperature, heldOut, seed } = settings;
  return {
    'actor_rollout_ref.rollout.name': 'vllm',
    'actor_rollout_ref.rollout.mode': 'async',
    'actor_rollout_ref.rollout.n': groupSize,
    'actor_rollout_ref.rollout.do_sample': true,
    'actor_rollout_ref.rollout.temperature': temperature,
    'actor_rollout_ref.rollout.top_p': 1,
    'actor_rollout_ref.rollout.top_k': -1,
    'actor_rollout_ref.rollout.seed': seed,
    'actor_rollout_ref.rollout.ignore_eos': false,
    'actor_rollout_ref.rollout.calculate_log_probs': true,
    'actor_rollout_ref.rollout.logprobs_mode': 'processed_logprobs',
    // The engine reads the base from the checkpoint itself; the adapter alone is synced.
    'actor_rollout_ref.rollout.load_format': 'safetensors',
    'actor_rollout_ref.rollout.max_model_len': maxContext,
    'actor_rollout_ref.rollout.enable_chunked_prefill': true,
    'actor_rollout_ref.rollout.enable_prefix_caching': true,
    'actor_rollout_ref.rollout.tensor_model_parallel_size': 1,
    'actor_rollout_ref.rollout.gpu_memory_utilization': 0.5,
    'actor_rollout_ref.rollout.val_kwargs.n': 1,
    'actor_rollout_ref.rollout.val_kwargs.do_sample': heldOut.temperature > 0,
    'actor_rollout_ref.rollout.val_kwargs.temperature': heldOut.temperature,
    'actor_rollout_ref.rollout.val_kwargs.top_p': 1,
    'actor_rollout_ref.rollout.val_kwargs.top_k': -1,
    'actor_rollout_ref.rollout.agent.default_agent_loop': 'forage',
    'actor_rollout_ref.rollout.agent.agent_loop_config_path': 'agent_loops.yaml',
    'actor_rollout_ref.rollout.agent.num_workers': 8,
  };
}

function dataOf({ settings, maxContext }: MappingInput): VerlArguments {
  return {
    'data.train_files': 'train.parquet',
    'data.val_files': 'val.parquet',
    'data.train_batch_size': settings.questions,
    // A row is a draw of the curriculum: their order is the experiment's.
    'data.shuffle': false,
    'data.validation_shuffle': false,
    'data.seed': settings.seed,
    'data.dataloader_num_workers': 0,
    // Prompts come from the environment, as ids; no context is longer than this.
    'data.filter_overlong_prompts': false,
    'data.max_prompt_length': maxContext,
    'data.max_response_length': maxContext,
  };
}

function modelOf({ settings, maxContext, hasAdapter }: MappingInput): VerlArguments {
  const { adapter, questions, updates, seed } = settings;
  return {
    'actor_rollout_ref.model.lora_rank': adapter.rank,
    'actor_rollout_ref.model.lora_alpha': adapter.alpha,
    'actor_rollout_ref.model.target_modules': [...adapter.targets],
    'actor_rollout_ref.model.exclude_modules': null,
    'actor_rollout_ref.model.lora_adapter_path': hasAdapter ? 'adapter' : null,
    'actor_rollout_ref.model.use_remove_padding': true,
    'actor_rollout_ref.model.enable_gradient_checkpointing': true,
    'actor_rollout_ref.actor.strategy': 'fsdp',
    // The adapter learns in float32; the base is computed in bfloat16.
    'actor_rollout_ref.actor.fsdp_config.model_dtype': 'fp32',
    'actor_rollout_ref.actor.fsdp_config.dtype': 'bfloat16',
    'actor_rollout_ref.actor.fsdp_config.seed': seed,
    'actor_rollout_ref.actor.ppo_mini_batch_size': questions / updates,
    'actor_rollout_ref.actor.ppo_epochs': 1,
    'actor_rollout_ref.actor.shuffle': false,
    'actor_rollout_ref.actor.use_dynamic_bsz': true,
    'actor_rollout_ref.actor.ppo_max_token_len_per_gpu': Math.max(TOKENS_PER_GPU, maxContext),
  };
}

function trainerOf({ settings, startStep }: MappingInput): VerlArguments {
  const { dynamicSampling, heldOut, steps, checkpointEvery } = settings;
  const { questions, groupSize, updates } = settings;
  return {
    'algorithm.filter_groups.enable': dynamicSampling !== null,
    'algorithm.filter_groups.metric': dynamicSampling?.by === 'accuracy' ? 'acc' : 'reward',
    'algorithm.filter_groups.max_inflight_gen_batches': 1,
    'critic.enable': false,
    'reward.reward_model.enable': false,
    'trainer.use_v1': true,
    'trainer.v1.trainer_mode': 'sync',
    'trainer.total_training_steps': Math.max(0, steps - startStep),
    'trainer.total_epochs': 1,
    'trainer.val_before_train': false,
    'trainer.test_freq': heldOut.questions > 0 ? heldOut.every : -1,
    'trainer.save_freq': checkpointEvery,
    'trainer.max_actor_ckpt_to_keep': 2,
    'trainer.resume_mode': 'auto',
    'trainer.default_local_dir': 'checkpoints',
    'trainer.rollout_data_dir': 'rollouts',
    'trainer.validation_data_dir': 'held-out',
    'trainer.logger': ['console', 'file'],
    'trainer.project_name': 'forage',
    'trainer.nnodes': 1,
    'trainer.n_gpus_per_node': verlProcesses((questions / updates) * groupSize),
  };
}

/** verl's overrides for an experiment; pure. `+` begins a path that verl's own configuration does not define. */
export function mapToVerl(input: MappingInput): Mapping<VerlArguments> {
  const { settings, startStep } = input;
  return {
    arguments: {
      ...dataOf(input),
      ...modelOf(input),
      ...rolloutOf(input),
      ...objectiveOf(settings),
      ...optimizerOf(settings, startStep),
      ...trainerOf(input),
    },
    notes: notesOf(input),
    refusals: refusalsOf(input),
  };
}

/** The overrides as Hydra reads them, one per line. */
export const hydraOverrides = (values: Readonly<Record<string, Json>>): string =>
  Object.entries(values)
    .map(([key, value]) => `${key}=${hydraValue(value)}\n`)
    .join('');

/** @throws TypeError for an object: its parts have overrides of their own */
function hydraValue(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(hydraValue).join(',')}]`;
  if (typeof value === 'object' && value !== null)
    throw new TypeError('an override holds no object');
  if (typeof value !== 'string') return String(value);
  // Words and paths are as they are; whatever else Hydra could read as its own grammar is quoted.
  return /^[\w./@+-]+$/u.test(value) && Number.isNaN(Number(value))
    ? value
    : `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
