import { z } from 'zod';
import { LORA_TARGETS, type LoraSpec, type LoraTarget } from './spec.ts';
import { placeOf, wordsOf } from '../../base/errors.ts';

/** What of `adapter_config.json` decides which tensors there are and what they mean. */
export interface PeftConfig {
  readonly spec: LoraSpec;
  /** `base_model_name_or_path`, or an empty string where the file does not say. */
  readonly baseName: string;
}

const many = z.union([z.array(z.string()), z.string()]);
const listed = z.union([z.array(z.unknown()), z.string()]).nullish();
const patterns = z.record(z.string(), z.number()).nullish();

const schema = z.object({
  peft_type: z.string(),
  task_type: z.string().nullish(),
  base_model_name_or_path: z.string().nullish(),
  r: z.number().int().positive(),
  lora_alpha: z.number().positive(),
  target_modules: many,
  bias: z.string().default('none'),
  init_lora_weights: z.union([z.boolean(), z.string()]).nullish(),
  use_dora: z.boolean().default(false),
  use_rslora: z.boolean().default(false),
  use_qalora: z.boolean().default(false),
  lora_bias: z.boolean().default(false),
  fan_in_fan_out: z.boolean().default(false),
  modules_to_save: listed,
  exclude_modules: listed,
  target_parameters: listed,
  trainable_token_indices: z
    .union([z.array(z.unknown()), z.record(z.string(), z.unknown())])
    .nullish(),
  layers_to_transform: z.union([z.array(z.number()), z.number()]).nullish(),
  layer_replication: z.array(z.unknown()).nullish(),
  alora_invocation_tokens: z.array(z.unknown()).nullish(),
  arrow_config: z.unknown().optional(),
  kasa_config: z.unknown().optional(),
  monteclora_config: z.unknown().optional(),
  velora_config: z.unknown().optional(),
  use_bdlora: z.unknown().optional(),
  rank_pattern: patterns,
  alpha_pattern: patterns,
});

type Raw = z.infer<typeof schema>;

/** Initialisations after which the adapter only fits a base that PEFT changed. */
const CHANGES_BASE = /^(pissa|olora|corda|loftq|lora_ga)/i;

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === false ||
  value === undefined ||
  (typeof value === 'object' && Object.keys(value).length === 0);

/** What the file asks for that this program does not compute. */
function unsupported(raw: Raw): string[] {
  const faults: string[] = [];
  if (raw.peft_type !== 'LORA')
    faults.push(`peft_type is "${raw.peft_type}"; only "LORA" is supported`);
  if (!isEmpty(raw.task_type) && raw.task_type !== 'CAUSAL_LM')
    faults.push(`task_type is "${raw.task_type}"; only "CAUSAL_LM" is supported`);
  if (raw.bias !== 'none') faults.push(`bias is "${raw.bias}"; only "none" is supported`);
  const switches = ['use_dora', 'use_rslora', 'use_qalora', 'lora_bias', 'fan_in_fan_out'] as const;
  for (const name of switches) if (raw[name]) faults.push(`${name} is true; it is not supported`);
  const lists = [
    'modules_to_save',
    'exclude_modules',
    'target_parameters',
    'trainable_token_indices',
    'layers_to_transform',
    'layer_replication',
    'alora_invocation_tokens',
    'arrow_config',
    'kasa_config',
    'monteclora_config',
    'velora_config',
    'use_bdlora',
    'rank_pattern',
    'alpha_pattern',
  ] as const;
  for (const name of lists)
    if (!isEmpty(raw[name])) faults.push(`${name} is set; it is not supported`);
  if (typeof raw.init_lora_weights === 'string' && CHANGES_BASE.test(raw.init_lora_weights))
    faults.push(
      `init_lora_weights is "${raw.init_lora_weights}", which changes the base weights; convert it to plain LoRA first`,
    );
  return faults;
}

const isTarget = (name: string): name is LoraTarget =>
  (LORA_TARGETS as readonly string[]).includes(name);

/** The last part of a module's path decides its kind, as in PEFT. */
function targetsOf(modules: string[] | string): { targets: LoraTarget[]; faults: string[] } {
  if (modules === 'all-linear') return { targets: [...LORA_TARGETS], faults: [] };
  if (typeof modules === 'string')
    return {
      targets: [],
      faults: [`target_modules is the pattern ${JSON.stringify(modules)}; list the modules' names`],
    };
  const names = modules.map((module) => module.slice(module.lastIndexOf('.') + 1));
  const unknown = names.filter((name) => !isTarget(name));
  const faults = unknown.map(
    (name) =>
      `target_modules holds ${JSON.stringify(name)}; supported are ${LORA_TARGETS.join(', ')}`,
  );
  if (modules.length === 0) faults.push('target_modules is empty');
  return { targets: LORA_TARGETS.filter((target) => names.includes(target)), faults };
}

/**
 * Reads a parsed `adapter_config.json`.
 * @throws Error with one line that names every field at fault
 */
export function parsePeftConfig(json: unknown): PeftConfig {
  const parsed = schema.safeParse(json);
  if (!parsed.success)
    throw new Error(
      parsed.error.issues.map((i) => `${placeOf(i) || 'file'}: ${wordsOf(i)}`).join('; '),
    );
  const raw = parsed.data;
  const { targets, faults } = targetsOf(raw.target_modules);
  const all = [...unsupported(raw), ...faults];
  if (all.length > 0) throw new Error(all.join('; '));
  return {
    spec: { rank: raw.r, alpha: raw.lora_alpha, targets },
    baseName: raw.base_model_name_or_path ?? '',
  };
}

/** The `adapter_config.json` that Python PEFT reads for an adapter. */
export function toPeftConfig(spec: LoraSpec, baseName: string): Record<string, unknown> {
  return {
    peft_type: 'LORA',
    task_type: 'CAUSAL_LM',
    base_model_name_or_path: baseName,
    revision: null,
    inference_mode: true,
    r: spec.rank,
    lora_alpha: spec.alpha,
    lora_dropout: 0,
    target_modules: LORA_TARGETS.filter((target) => spec.targets.includes(target)),
    bias: 'none',
    fan_in_fan_out: false,
    init_lora_weights: true,
    modules_to_save: null,
    layers_to_transform: null,
    layers_pattern: null,
    rank_pattern: {},
    alpha_pattern: {},
    use_dora: false,
    use_rslora: false,
  };
}
