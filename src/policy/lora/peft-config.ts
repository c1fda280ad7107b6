import { z } from 'zod';
import { messageOf, placeOf, wordsOf } from '../../base/errors.ts';
import type { PolicyConfig } from '../checkpoint/config.ts';
import { fullMatcher } from './python-pattern.ts';
import { LORA_TARGETS, moduleName, type LoraSpec, type LoraTarget } from './spec.ts';

/** A matrix that the adapter changes: `W x + scale · B (A x)`. */
interface AdaptedModule {
  readonly layer: number;
  readonly target: LoraTarget;
  readonly rank: number;
  readonly scale: number;
}

/** What of `adapter_config.json` decides which tensors there are and what they mean. */
export interface PeftConfig {
  /** By layer, then in the order of LORA_TARGETS. */
  readonly modules: readonly AdaptedModule[];
  /** The least shape that has room for all of them. */
  readonly spec: LoraSpec;
  /** `base_model_name_or_path`, or an empty string where the file does not say. */
  readonly baseName: string;
}

const many = z.union([z.array(z.string()), z.string()]);
const listed = z.union([z.array(z.unknown()), z.string()]).nullish();

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
  exclude_modules: many.nullish(),
  target_parameters: listed,
  trainable_token_indices: z
    .union([z.array(z.unknown()), z.record(z.string(), z.unknown())])
    .nullish(),
  layers_to_transform: z.union([z.array(z.number().int()), z.number().int()]).nullish(),
  layers_pattern: many.nullish(),
  layer_replication: z.array(z.unknown()).nullish(),
  alora_invocation_tokens: z.array(z.unknown()).nullish(),
  arrow_config: z.unknown().optional(),
  kasa_config: z.unknown().optional(),
  monteclora_config: z.unknown().optional(),
  velora_config: z.unknown().optional(),
  use_bdlora: z.unknown().optional(),
  rank_pattern: z.record(z.string(), z.number().int().positive()).nullish(),
  alpha_pattern: z.record(z.string(), z.number().positive()).nullish(),
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
  const switches = ['use_dora', 'use_qalora', 'lora_bias', 'fan_in_fan_out'] as const;
  for (const name of switches) if (raw[name]) faults.push(`${name} is true; it is not supported`);
  const lists = [
    'modules_to_save',
    'target_parameters',
    'trainable_token_indices',
    'layer_replication',
    'alora_invocation_tokens',
    'arrow_config',
    'kasa_config',
    'monteclora_config',
    'velora_config',
    'use_bdlora',
  ] as const;
  for (const name of lists)
    if (!isEmpty(raw[name])) faults.push(`${name} is set; it is not supported`);
  if (typeof raw.init_lora_weights === 'string' && CHANGES_BASE.test(raw.init_lora_weights))
    faults.push(
      `init_lora_weights is "${raw.init_lora_weights}", which changes the base weights; convert it to plain LoRA first`,
    );
  return faults;
}

/** A module that PEFT can find by its name. */
interface Named {
  readonly layer: number;
  readonly target: LoraTarget;
  /** Such as `model.layers.0.self_attn.q_proj`. */
  readonly name: string;
}

const namedModules = (config: PolicyConfig): Named[] =>
  Array.from({ length: config.layers }, (_, layer) =>
    LORA_TARGETS.map((target) => ({ layer, target, name: moduleName(layer, target) })),
  ).flat();

/** Matrices that PEFT adapts and this program does not. */
const OTHER_MODULES = ['model.embed_tokens', 'lm_head'];

const endsIn = (name: string, part: string): boolean => name === part || name.endsWith(`.${part}`);

/** A setting's pattern; what it does wrong is said of the setting. */
function matcherOf(field: string, pattern: string, whole = pattern): (name: string) => boolean {
  try {
    const matches = fullMatcher(whole);
    return (name) => {
      try {
        return matches(name);
      } catch (error) {
        throw unread(error);
      }
    };
  } catch (error) {
    throw unread(error);
  }
  function unread(error: unknown): Error {
    return new Error(
      `${field} is the pattern ${JSON.stringify(pattern)}, which is not read here (${messageOf(error)})`,
    );
  }
}

/** PEFT's `check_target_module_exists` for `exclude_modules`. */
function excludedBy({ exclude_modules: excluded }: Raw): (name: string) => boolean {
  if (isEmpty(excluded) || excluded === '') return () => false;
  if (typeof excluded === 'string') return matcherOf('exclude_modules', excluded);
  return (name) => excluded!.some((part) => endsIn(name, part));
}

/** Layers of `layers_to_transform`, where a layer is an element of one of `layers_pattern`, or of any list; null: all. */
function layersOf(raw: Raw): ReadonlySet<number> | null {
  const { layers_to_transform: layers, layers_pattern: patterns } = raw;
  const listed = typeof layers === 'number' ? [layers] : (layers ?? []);
  const lists = typeof patterns === 'string' ? [patterns] : (patterns ?? []);
  for (const list of lists)
    if (!/^\w+$/.test(list))
      throw new Error(
        `layers_pattern holds ${JSON.stringify(list)}; only a plain name is read here`,
      );
  if (listed.length === 0) return null;
  if (lists.length > 0 && !lists.includes('layers'))
    throw new Error('layers_pattern does not hold "layers", where the layers of this policy are');
  return new Set(listed);
}

/** Which modules have an adapter, as PEFT's `check_target_module_exists` says. */
function targetedBy(raw: Raw): (module: Named) => boolean {
  const { target_modules: targets } = raw;
  const layers = layersOf(raw);
  if (typeof targets !== 'string') {
    const full = new Set(targets);
    return ({ name, layer }) =>
      full.has(name) ||
      (targets.some((part) => name.endsWith(`.${part}`)) && (layers?.has(layer) ?? true));
  }
  if (layers) throw new Error('layers_to_transform is set beside a pattern in target_modules');
  if (targets === 'all-linear') return () => true;
  const matches = matcherOf('target_modules', targets);
  for (const name of OTHER_MODULES) if (matches(name)) throw new Error(unsupportedModule(name));
  return ({ name }) => matches(name);
}

const unsupportedModule = (name: string): string =>
  `target_modules holds ${JSON.stringify(name)}; supported are ${LORA_TARGETS.join(', ')}`;

/** The value for a module by `rank_pattern` or `alpha_pattern`: of the first key that matches the end of its name. */
function byPattern(
  field: string,
  patterns: Record<string, number> | null | undefined,
): (name: string) => number | undefined {
  const all = Object.entries(patterns ?? {}).map(
    ([key, value]) => [matcherOf(field, key, `(?:.*\\.)?(?:${key})`), value] as const,
  );
  return (name) => all.find(([matches]) => matches(name))?.[1];
}

/** @throws Error for modules that PEFT adapts otherwise than this program can, or for none at all */
function modulesOf(raw: Raw, config: PolicyConfig): AdaptedModule[] {
  const { target_modules: targets } = raw;
  if (targets.length === 0) throw new Error('target_modules is empty');
  const all = namedModules(config);
  if (typeof targets !== 'string') {
    const unknown = targets.filter((part) => !all.some(({ name }) => endsIn(name, part)));
    if (unknown.length > 0) throw new Error(unknown.map(unsupportedModule).join('; '));
  }
  const [isTargeted, isExcluded] = [targetedBy(raw), excludedBy(raw)];
  const ranks = byPattern('rank_pattern', raw.rank_pattern);
  const alphas = byPattern('alpha_pattern', raw.alpha_pattern);
  const modules = all
    .filter((module) => isTargeted(module) && !isExcluded(module.name))
    .map(({ layer, target, name }) => {
      const rank = ranks(name) ?? raw.r;
      const alpha = alphas(name) ?? raw.lora_alpha;
      // Rank-stabilised scaling: Kalajdzievski, 2023, equation (5).
      return { layer, target, rank, scale: alpha / (raw.use_rslora ? Math.sqrt(rank) : rank) };
    });
  if (modules.length > 0) return modules;
  throw new Error('target_modules and its limits match no module of this model');
}

/** One rank and one scale for all: smaller factors are filled up with zeros, `B` of smaller scales is made smaller. */
function roomFor(raw: Raw, modules: readonly AdaptedModule[]): LoraSpec {
  const rank = modules.reduce((most, module) => Math.max(most, module.rank), 0);
  const scale = modules.reduce((most, module) => Math.max(most, module.scale), 0);
  const used = new Set(modules.map(({ target }) => target));
  const plain = scale === raw.lora_alpha / rank;
  return {
    rank,
    alpha: plain ? raw.lora_alpha : scale * rank,
    targets: LORA_TARGETS.filter((target) => used.has(target)),
  };
}

/**
 * Reads a parsed `adapter_config.json` for a policy.
 * @throws Error with one line that names every field at fault
 */
export function parsePeftConfig(json: unknown, config: PolicyConfig): PeftConfig {
  const parsed = schema.safeParse(json);
  if (!parsed.success)
    throw new Error(
      parsed.error.issues.map((i) => `${placeOf(i) || 'file'}: ${wordsOf(i)}`).join('; '),
    );
  const raw = parsed.data;
  const faults = unsupported(raw);
  let modules: AdaptedModule[] = [];
  try {
    modules = modulesOf(raw, config);
  } catch (error) {
    faults.push(messageOf(error));
  }
  if (faults.length > 0) throw new Error(faults.join('; '));
  return { modules, spec: roomFor(raw, modules), baseName: raw.base_model_name_or_path ?? '' };
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
