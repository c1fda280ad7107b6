import { ADAPTER_MOMENTS } from '../../../policy/lora/optimizer.ts';
import type { Json } from '../../../learn/rl/contracts.ts';
import {
  aggregationParts,
  groupEstimatorOf,
  type EstimatorId,
  type TrainSettings,
} from '../../../recipes/parts/training.ts';
import { LOG_RATIO_CLAMP } from '../../../learn/objective.ts';
import { commonRefusals } from './common.ts';
import type { Mapping, MappingInput, Note, Refusal } from './mapping.ts';

/** Arguments of TRL 1.16.0's `GRPOTrainer` for Forage's settings. */

/** No bound: of a ratio this large nothing is left to clip. */
const NO_CLIP = 1e9;

/** Rollouts that go through the model together, where the settings do not say. */
const MICRO_BATCH = 8;

export interface TrlArguments {
  /** `GRPOConfig`, except for what follows from the number of processes. */
  readonly grpo: Readonly<Record<string, Json>>;
  /** `LoraConfig` of a fresh adapter; a given one brings its own. */
  readonly lora: Readonly<Record<string, Json>>;
  /** What `create_model_from_path` is given. */
  readonly model: Readonly<Record<string, Json>>;
  /** From which `train.py` reckons the batch of a process, and refuses numbers that do not divide. */
  readonly batch: {
    /** Rollouts of a step, and optimizer updates they are split into. */
    readonly rollouts: number;
    readonly updates: number;
    /** Most rollouts of a micro-batch, or exactly as many. */
    readonly micro: number;
    readonly exactly: boolean;
  };
  /** Learning rate of step s: `learningRateAt` of Forage, the same for all updates of a step. */
  readonly schedule: {
    readonly shape: 'constant' | 'cosine';
    readonly rate: number;
    readonly warmUp: number;
    readonly steps: number;
    readonly startStep: number;
  };
  readonly heldOut: { readonly questions: number; readonly every: number };
  readonly [more: string]: Json;
}

const LOSS_TYPES = {
  'token-mean': 'dapo',
  'sequence-mean': 'grpo',
  'micro-batch-mean': 'dapo',
  'sum-over-constant': 'dr_grpo',
} as const;

/** Sequences of one micro-batch whose tokens have a mean by themselves; null: no such. */
function meansOf({ objective, questions, groupSize, updates }: TrainSettings): number | null {
  const { kind, of } = aggregationParts(objective.aggregation);
  const own = (questions * groupSize) / updates;
  return kind === 'micro-batch-mean' && of < own ? of : null;
}

/** Estimators that it has, and how they scale rewards. */
const SCALES: Partial<Record<EstimatorId, string>> = {
  grpo: 'group',
  'trl-grpo': 'group',
  'dr-grpo': 'none',
};

function refusalsOf({ settings, ...rest }: MappingInput): Refusal[] {
  const { objective, dynamicSampling, questions, groupSize, updates } = settings;
  const { clip, dualClip, kl } = objective;
  const estimator = groupEstimatorOf(objective);
  const refusals = commonRefusals({ settings, ...rest });
  const refuse = (setting: string, why: string, without: Refusal['without'] = null): void =>
    void refusals.push({ setting, why, without });
  if (!SCALES[estimator])
    refuse(
      'objective.estimator',
      `TRL's GRPOTrainer has no ${estimator}; it makes the advantages of grpo, trl-grpo and dr-grpo. Choose one of these, or export to verl`,
    );
  if (dualClip !== null && (clip === null || dualClip < 1 + clip.high))
    refuse(
      'objective.dualClip',
      `TRL's delta bounds the ratio before the clip, so it is a dual clip only from 1 + clip.high on; here it is ${dualClip} with ${clip === null ? 'no clip' : `clip.high ${clip.high}`}. Set it to null, or change the clip`,
    );
  if (kl.place === 'reward' && kl.coefficient > 0)
    refuse(
      'objective.kl.place',
      "TRL has the KL in the loss alone, not in the reward. Set it to 'loss' with form k3, or export to verl",
      'kl',
    );
  if (kl.place === 'loss' && kl.coefficient > 0 && kl.form !== 'k3')
    refuse(
      'objective.kl.form',
      `TRL's KL is k3, and here it is ${kl.form}. Set it to k3, or export to verl`,
      'kl',
    );
  if (dynamicSampling)
    refuse('dynamicSampling', 'TRL draws no group again. Export to verl', 'dynamic-sampling');
  if ((questions * groupSize) % updates !== 0)
    refuse(
      'updates',
      `TRL makes updates of equal size, and ${updates} do not divide ${questions} · ${groupSize} rollouts. Set it to a divisor`,
    );
  const means = meansOf(settings);
  if (means !== null && ((questions * groupSize) / updates) % means !== 0)
    refuse(
      'objective.aggregation',
      `TRL makes micro-batches of equal size, and ${means} does not divide the ${(questions * groupSize) / updates} rollouts of an update. Set microBatch to a divisor, or aggregation to token-mean`,
    );
  return refusals;
}

/** Largest relative difference of an advantage: of rewards 0 and 1 with one rollout unlike the others. */
const epsilonShare = (groupSize: number): number => {
  const deviation = 1 / Math.sqrt(groupSize);
  return 1 - (deviation + 1e-6) / (deviation + 1e-4);
};

function notesOf({ settings, hasAdapter }: MappingInput): Note[] {
  const { objective, updates, groupSize, temperature } = settings;
  const { estimator, clip } = objective;
  const { kind } = aggregationParts(objective.aggregation);
  const overTokens = kind === 'token-mean' || kind === 'micro-batch-mean';
  const notes: Note[] = [];
  const note = (setting: string, text: string): void => void notes.push({ setting, text });
  if (estimator === 'grpo')
    note(
      'objective.estimator',
      `TRL adds 1e-4 to the deviation of a group, as trl-grpo does, Forage’s grpo 1e-6: with rewards 0 and 1 and groups of ${groupSize}, advantages are up to ${(100 * epsilonShare(groupSize)).toPrecision(2)} % smaller. Adam's update hardly changes.`,
    );
  note(
    'objective.clip',
    clip === null
      ? `TRL clamps no log ratio; Forage at ±${LOG_RATIO_CLAMP}, which only a ratio of e^${LOG_RATIO_CLAMP} meets.`
      : `TRL clamps no log ratio; the clip bounds every ratio that ±${LOG_RATIO_CLAMP} would, except for negative advantages.`,
  );
  if (updates === 1)
    note(
      'updates',
      'With one update per step TRL uses its own log-probabilities as the old ones, so every ratio is 1. Forage uses the sampler’s, which differ by the sampler–trainer mismatch.',
    );
  else
    note(
      'updates',
      'Forage puts rollout i into update i mod updates; TRL first shuffles the rollouts of a process. Updates have the same sizes but other rollouts. Old log-probabilities are the trainer’s before the first update.',
    );
  if (updates > 1 && overTokens && meansOf(settings) === null)
    note(
      'objective.aggregation',
      'TRL divides every update by the tokens of the whole step over the number of updates, Forage by the update’s own tokens.',
    );
  if (meansOf(settings) !== null)
    note(
      'objective.aggregation',
      'Micro-batches have as many rollouts as in Forage, but other ones: TRL first shuffles the rollouts of a process.',
    );
  if (!overTokens)
    note(
      'objective.aggregation',
      'A rollout without model tokens counts in TRL’s mean, but not in Forage’s.',
    );
  if (temperature !== 1)
    note('temperature', 'Log-probabilities are of the tempered distribution in both.');
  note(
    'adapter',
    hasAdapter
      ? 'Training continues the adapter in adapter/. AdamW’s moments are not part of it and start at 0.'
      : 'A new adapter: A is drawn from the same distribution as in Forage, with torch’s random numbers, and B is 0, so the first step’s model is the same.',
  );
  return notes;
}

const beta = ({ kl }: TrainSettings['objective']): number =>
  kl.place === 'loss' ? kl.coefficient : 0;

function grpoOf({ settings, maxContext, startStep }: MappingInput): TrlArguments['grpo'] {
  const { objective, optimizer, questions, groupSize, updates, steps, seed } = settings;
  const { clip, dualClip } = objective;
  const aggregation = aggregationParts(objective.aggregation);
  return {
    output_dir: 'out',
    seed,
    data_seed: seed,
    max_steps: Math.max(0, steps - startStep) * updates,
    // Whole groups, in the order of the draws.
    num_generations: groupSize,
    generation_batch_size: questions * groupSize,
    num_iterations: 1,
    shuffle_dataset: false,
    remove_unused_columns: false,
    dataloader_num_workers: 0,
    dataloader_drop_last: false,
    // Sampling; the environment says the same with every request.
    temperature: settings.temperature,
    top_p: 1,
    top_k: 0,
    min_p: null,
    repetition_penalty: 1,
    generation_kwargs: null,
    chat_template_kwargs: null,
    pad_to_multiple_of: null,
    // No completion is cut by it; of dr_grpo it is the constant that divides.
    max_completion_length: aggregation.kind === 'sum-over-constant' ? aggregation.of : maxContext,
    // Completions end with tags, not with an end-of-text token: `true` would mask them all.
    mask_truncated_completions: false,
    // The objective.
    scale_rewards: SCALES[groupEstimatorOf(objective)] ?? 'none',
    multi_objective_aggregation: 'sum_then_normalize',
    reward_weights: [1],
    loss_type: meansOf(settings) === null ? LOSS_TYPES[aggregation.kind] : 'bnpo',
    importance_sampling_level: 'token',
    epsilon: clip?.low ?? 1,
    epsilon_high: clip?.high ?? NO_CLIP,
    delta: dualClip,
    beta: beta(objective),
    // Forage's k3 is not weighted by the ratio.
    use_bias_correction_kl: false,
    sync_ref_model: false,
    disable_dropout: true,
    off_policy_mask_threshold: null,
    top_entropy_quantile: 1,
    entropy_coef: 0,
    use_adaptive_entropy: false,
    router_aux_loss_coef: 0,
    vllm_importance_sampling_correction: false,
    // The optimizer; the rate of each step is the schedule's.
    optim: 'adamw_torch',
    learning_rate: optimizer.learningRate,
    lr_scheduler_type: 'constant',
    warmup_steps: 0,
    adam_beta1: ADAPTER_MOMENTS.beta1,
    adam_beta2: ADAPTER_MOMENTS.beta2,
    adam_epsilon: ADAPTER_MOMENTS.eps,
    weight_decay: optimizer.weightDecay,
    max_grad_norm: optimizer.clipNorm,
    // The machine.
    bf16: true,
    tf32: null,
    gradient_checkpointing: true,
    cast_lm_head_to_fp32: false,
    torch_compile: false,
    use_liger_kernel: false,
    use_vllm: true,
    vllm_mode: 'colocate',
    vllm_tensor_parallel_size: 1,
    vllm_enable_sleep_mode: false,
    vllm_gpu_memory_utilization: 0.3,
    vllm_max_model_length: maxContext,
    use_transformers_continuous_batching: false,
    // One table a step: between the updates of a step TRL would write the same completions again.
    log_completions: true,
    num_completions_to_print: 0,
    log_unique_prompts: false,
    logging_strategy: 'steps',
    logging_steps: updates,
    logging_first_step: false,
    report_to: 'none',
    eval_strategy: 'no',
    save_strategy: 'steps',
    save_steps: settings.checkpointEvery * updates,
    save_total_limit: 2,
    save_only_model: false,
  };
}

/** TRL's arguments for an experiment; pure. */
export function mapToTrl(input: MappingInput): Mapping<TrlArguments> {
  const { settings, startStep } = input;
  const { adapter, optimizer, questions, groupSize, updates, steps, heldOut } = settings;
  const means = meansOf(settings);
  return {
    arguments: {
      grpo: grpoOf(input),
      lora: {
        task_type: 'CAUSAL_LM',
        r: adapter.rank,
        lora_alpha: adapter.alpha,
        target_modules: [...adapter.targets],
        lora_dropout: 0,
        bias: 'none',
        init_lora_weights: true,
        use_rslora: false,
        use_dora: false,
        modules_to_save: null,
      },
      model: { dtype: 'auto' },
      batch: {
        rollouts: questions * groupSize,
        updates,
        micro: means ?? MICRO_BATCH,
        exactly: means !== null,
      },
      schedule: {
        shape: optimizer.schedule,
        rate: optimizer.learningRate,
        warmUp: optimizer.warmUpSteps,
        steps,
        startStep,
      },
      heldOut: { questions: heldOut.questions, every: heldOut.every },
    },
    notes: notesOf(input),
    refusals: refusalsOf(input),
  };
}
