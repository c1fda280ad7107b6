import { z } from 'zod';
import { DEFAULT_SETTINGS, type PretrainSettings } from '../../pretrain/policy/plan.ts';
import { parseOptions, type CommandSpec, type OptionSpec } from '../shared/options.ts';

/** The options of `lab pretrain`: every field of `PretrainSettings`, and how to run. */

const HELP: Record<keyof PretrainSettings, string> = {
  seed: 'seed of weights and data',
  steps: 'updates in all',
  tokensPerStep: 'tokens of one update',
  threads: 'training threads',
  streams: 'streams of data, each drawn by its own thread',
  hidden: 'hidden size',
  layers: 'layers',
  heads: 'attention heads',
  kvHeads: 'key and value heads',
  intermediate: 'width of the MLP',
  optimizer: 'rule for the matrices of the layers',
  lr: 'learning rate of AdamW',
  muonLr: 'learning rate of Muon',
  weightDecay: 'decoupled weight decay of matrices',
  clip: 'maximum gradient norm (0: no limit)',
  schedule: 'learning-rate schedule',
  warmUpSteps: 'steps in which the learning rate rises',
  decayShare: 'share of the steps in which it falls (wsd)',
  copySteps: 'first steps, on copying exercises only',
  copyShare: 'share of copying exercises after them',
  drillShare: 'share of exercises in comparison, arithmetic and reading',
  envWeight: 'first loss weight of environment tokens',
  envSteps: 'steps over which that weight falls to 0',
  maxLength: 'longest sequence, tokens',
  positions: 'positions that the exported policy may use',
  microTokens: 'tokens of one forward and backward pass',
};

const CHOICES: Partial<Record<string, readonly string[]>> = {
  optimizer: ['muon', 'adamw'],
  schedule: ['wsd', 'cosine'],
};

const WHOLE = new Set<string>(
  'seed steps tokensPerStep threads streams hidden layers heads kvHeads intermediate maxLength positions microTokens'.split(
    ' ',
  ),
);

const optionName = (key: string): string => key.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`);

/** No default here: an option that is not given must not override a resumed run's setting. */
function settingSpec(key: string, what: string): OptionSpec {
  const fallback = Object.entries(DEFAULT_SETTINGS).find(([name]) => name === key)?.[1];
  const help = `${what} [${fallback}]`;
  const choices = CHOICES[key];
  if (choices) return { type: 'string', choices, help };
  if (!WHOLE.has(key)) return { type: 'number', min: 0, value: 'N', help };
  return { type: 'integer', min: key === 'seed' ? 0 : 1, value: 'N', help };
}

export const COMMAND: CommandSpec = {
  name: 'pretrain',
  summary: 'pre-trains the built-in model from scratch on fresh worlds',
  options: {
    out: {
      type: 'string',
      value: 'DIR',
      help: 'snapshots and log.jsonl',
      default: 'pretrain-run',
    },
    init: {
      type: 'string',
      value: 'DIR',
      help: 'start from the weights of an exported checkpoint, grown to more layers or another vocabulary if needed',
    },
    resume: { type: 'string', value: 'DIR', help: 'continue from the last snapshot of a run' },
    export: {
      type: 'string',
      value: 'DIR',
      help: 'write a Hugging Face folder at every snapshot',
    },
    name: {
      type: 'string',
      help: 'name of the exported checkpoint',
      default: 'baize-mini',
    },
    tokenizer: { type: 'string', value: 'DIR', help: 'tokenizer files', default: 'public/policy' },
    'eval-every': { type: 'integer', min: 1, help: 'steps between evaluations', default: 250 },
    'eval-count': { type: 'integer', min: 1, help: 'held-out trajectories', default: 256 },
    'snapshot-every': {
      type: 'integer',
      min: 1,
      help: 'steps between snapshots',
      default: 250,
    },
    'log-every': { type: 'integer', min: 1, help: 'steps between progress lines', default: 10 },
    device: {
      type: 'string',
      choices: ['wasm', 'webgpu'],
      help: 'what computes gradients',
      default: 'wasm',
    },
    minutes: {
      type: 'number',
      min: 0,
      help: 'stop and save after this time (0: no limit)',
      default: 0,
    },
    help: { type: 'boolean', help: 'show this' },
    ...Object.fromEntries(
      Object.entries(HELP).map(([key, what]) => [optionName(key), settingSpec(key, what)]),
    ),
  },
};

const runSchema = z.object({
  out: z.string(),
  init: z.string().optional(),
  resume: z.string().optional(),
  export: z.string().optional(),
  name: z.string(),
  tokenizer: z.string(),
  'eval-every': z.number(),
  'eval-count': z.number(),
  'snapshot-every': z.number(),
  'log-every': z.number(),
  device: z.enum(['wasm', 'webgpu']),
  minutes: z.number(),
  help: z.boolean().optional(),
});

/** Settings as stored or given; all may be absent. */
export const settingsSchema = z
  .object({
    seed: z.number(),
    steps: z.number(),
    tokensPerStep: z.number(),
    threads: z.number(),
    streams: z.number(),
    hidden: z.number(),
    layers: z.number(),
    heads: z.number(),
    kvHeads: z.number(),
    intermediate: z.number(),
    optimizer: z.enum(['muon', 'adamw']),
    lr: z.number(),
    muonLr: z.number(),
    weightDecay: z.number(),
    clip: z.number(),
    schedule: z.enum(['wsd', 'cosine']),
    warmUpSteps: z.number(),
    decayShare: z.number(),
    copySteps: z.number(),
    copyShare: z.number(),
    drillShare: z.number(),
    envWeight: z.number(),
    envSteps: z.number(),
    maxLength: z.number(),
    positions: z.number(),
    microTokens: z.number(),
  } satisfies Record<keyof PretrainSettings, z.ZodType>)
  .partial();

/** Fields that were left out stay absent, so that spreading does not erase a default. */
export function definedSettings(json: unknown): Partial<PretrainSettings> {
  const parsed = settingsSchema.parse(json);
  return Object.fromEntries(Object.entries(parsed).filter(([, value]) => value !== undefined));
}

export type RunOptions = z.infer<typeof runSchema> & { given: Partial<PretrainSettings> };

/** @throws UsageError for invalid options */
export function readOptions(argv: readonly string[]): RunOptions {
  const { values } = parseOptions(COMMAND, argv);
  const given = Object.keys(HELP).map((key) => [key, values[optionName(key)]]);
  return { ...runSchema.parse(values), given: definedSettings(Object.fromEntries(given)) };
}
