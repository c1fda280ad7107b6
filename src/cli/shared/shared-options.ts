import { valueOf } from '../../learn/settings/edit-settings.ts';
import { QUESTION_TYPES } from '../../records/records.ts';
import {
  mergeOverrides,
  type SettingsOverride,
  LOCAL_ONLY,
  WEB_ONLY,
} from '../../recipes/parts/settings.ts';
import { RECIPES } from '../../systems/index.ts';
import {
  MATRIX_TYPES,
  STORE_TYPES,
  type MatrixType,
  type StoreType,
} from '../../policy/ops/values.ts';
import { METHOD_IDS } from '../../retrieval/setup.ts';
import { UsageError, type OptionLists, type OptionSpec, type OptionValues } from './options.ts';
import { ENGINE_OPTIONS, engineOptions } from './engine.ts';
import type { PartsOptions } from './parts.ts';
import { GENERATED_WORLD_OPTIONS, madeWorldOf } from './generated-world.ts';
import { say, sayProgress } from './command.ts';

/** How training uses this machine. */
export const THREAD_OPTIONS = {
  threads: {
    type: 'integer',
    value: 'T',
    help: 'samplers and replicas; results do not depend on it',
    default: 2,
    min: 1,
    max: 64,
  },
  'micro-tokens': {
    type: 'integer',
    value: 'N',
    help: 'tokens per micro-batch; at least one whole context',
    default: 2048,
    min: 1,
  },
} as const satisfies Record<string, OptionSpec>;

/** The user's passages and questions. */
export const SOURCE_OPTIONS = {
  corpus: {
    type: 'string',
    value: 'FILE',
    help: "passages to search instead of the world's; may be repeated; changes the default of --source to local",
    multiple: true,
  },
  ...ENGINE_OPTIONS,
  questions: { type: 'string', value: 'FILE', help: "questions instead of the world's" },
  'split-field': {
    type: 'string',
    value: 'PATH',
    help: 'field of --questions with train, dev or test (default: split)',
  },
  'split-seed': {
    type: 'integer',
    value: 'S',
    help: 'seed of the random split of --questions without that field, 70 % train, 15 % dev, 15 % test (default: 0, as on the page)',
    min: 0,
  },
  method: {
    type: 'string',
    help: 'how --corpus is searched',
    choices: METHOD_IDS,
    default: 'lexical',
  },
  encoder: {
    type: 'string',
    value: 'DIR',
    help: 'ONNX encoder of --method (default: the built-in one)',
  },
} as const satisfies Record<string, OptionSpec>;

/** Environment variable with the key of a server; never an option, which others could read in the list of processes. */
export const KEY_VARIABLE = 'FORAGE_API_KEY';

export const SUMMARIZER_OPTIONS = {
  summarizer: {
    type: 'string',
    value: 'WHO',
    help: `summarizer for recipes with retrieval.summarize on: extractive (built in), the folder of a chat model, or an OpenAI-compatible server (its key in ${KEY_VARIABLE})`,
  },
  'summarizer-model': {
    type: 'string',
    value: 'NAME',
    help: "which of the server's models, where it has several",
  },
} as const satisfies Record<string, OptionSpec>;

export const PARTS_OPTIONS = {
  world: { type: 'string', value: 'DIR', help: 'world folder (default: the built-in one)' },
  ...GENERATED_WORLD_OPTIONS,
  policy: {
    type: 'string',
    value: 'DIR',
    help: 'checkpoint folder or GGUF file (default: the built-in one)',
  },
  ...SOURCE_OPTIONS,
  ...SUMMARIZER_OPTIONS,
  device: {
    type: 'string',
    help: 'where the model runs',
    choices: ['wasm', 'webgpu'],
    default: 'wasm',
  },
  weights: {
    type: 'string',
    help: "precision of the model's weights (default: chosen by its files and the device)",
    choices: MATRIX_TYPES,
  },
  kv: {
    type: 'string',
    help: 'precision of the KV cache (default: f16 on webgpu where it is large, else f32)',
    choices: STORE_TYPES,
  },
} as const satisfies Record<string, OptionSpec>;

/** An adapter of the model of `PARTS_OPTIONS`. */
export const ADAPTER_OPTIONS = {
  adapter: {
    type: 'string',
    value: 'DIR',
    help: 'PEFT folder of an adapter of the model (default: the model without one)',
  },
} as const satisfies Record<string, OptionSpec>;

/** World, corpus, engine and questions. @throws UsageError where options of one are given without it */
export function sourcesOptions(
  values: OptionValues,
  lists: OptionLists,
): Pick<
  PartsOptions,
  'world' | 'questions' | 'split' | 'corpus' | 'engine' | 'onProgress' | 'onNotice'
> {
  const text = (name: string): string | undefined => values[name] as string | undefined;
  const files = lists['corpus'];
  const [method, encoder] = [text('method') ?? 'lexical', text('encoder')];
  if (!files && (encoder !== undefined || method !== 'lexical'))
    throw new UsageError(`--${encoder === undefined ? 'method' : 'encoder'} needs --corpus FILE.`);
  const split = { field: text('split-field'), seed: values['split-seed'] as number | undefined };
  if (values.questions === undefined && (split.field ?? split.seed) !== undefined)
    throw new UsageError(
      `--split-${split.field === undefined ? 'seed' : 'field'} needs --questions FILE.`,
    );
  return {
    world: madeWorldOf(values) ?? text('world'),
    questions: text('questions'),
    split,
    ...(files && { corpus: { files, method, encoder } }),
    engine: engineOptions(values),
    onProgress: sayProgress,
    onNotice: say,
  };
}

/** @throws UsageError where options of a source are given without it */
export const partsOptions = (values: OptionValues, lists: OptionLists): PartsOptions => ({
  ...sourcesOptions(values, lists),
  policy: values.policy as string | undefined,
  device: values.device as 'wasm' | 'webgpu',
  weights: values.weights as MatrixType | undefined,
  keys: values.kv as StoreType | undefined,
  adapter: values.adapter as string | undefined,
});

/**
 * Where searches without a source go. The world's web does not know the user's corpus, nor a
 * search engine the world's passages. With both corpus and engine the recipe decides.
 */
export function sourceDefaults({
  corpus,
  engine,
}: Pick<PartsOptions, 'corpus' | 'engine'>): SettingsOverride {
  if (corpus && !engine) return LOCAL_ONLY;
  return engine && !corpus ? WEB_ONLY : {};
}

/** Which questions are asked. */
export const QUESTION_OPTIONS = {
  split: {
    type: 'string',
    help: "which questions (default: the world's test questions, or all of --questions)",
    choices: ['train', 'dev', 'test', 'all'],
  },
  hops: {
    type: 'integer',
    value: 'H',
    help: 'only questions with this number of hops',
    min: 1,
    max: 5,
  },
  type: {
    type: 'string',
    help: 'only questions of this type',
    choices: QUESTION_TYPES,
  },
  compositions: {
    type: 'string',
    help: 'only questions whose chain of relations is held out of training, or only the others (seen)',
    choices: ['held-out', 'seen'],
  },
} as const satisfies Record<string, OptionSpec>;

/** Settings of a recipe that the command line may change. */
export const RECIPE_OPTIONS = {
  recipe: {
    type: 'string',
    value: 'ID',
    help: 'which system',
    choices: RECIPES.map((recipe) => recipe.id),
    default: 'kunlun-baize',
  },
  temperature: { type: 'number', value: 'T', help: 'sampling temperature', min: 0, max: 4 },
  source: {
    type: 'string',
    help: 'where searches go',
    choices: ['local', 'web', 'both', 'router'],
  },
  routing: {
    type: 'string',
    help: "how the router chooses: sampled from its probabilities, or the likelier source (default: the recipe's)",
    choices: ['sampled', 'argmax'],
  },
  background: {
    type: 'string',
    help: 'RDRA: retrieval of background before the first thought',
    choices: ['off', 'shown', 'shown-and-used-by-T'],
  },
  stie: {
    type: 'string',
    help: 'STIE: check of answers and queries',
    choices: ['off', 'paper', 'corrected'],
  },
  k: { type: 'integer', value: 'K', help: 'passages per search', min: 1, max: 20 },
  set: {
    type: 'string',
    value: 'K=V',
    help: "change a setting of the recipe's loop, e.g. retrieval.maxSearches=4; may be repeated",
    multiple: true,
  },
} as const satisfies Record<string, OptionSpec>;

/** @throws UsageError for text without key=value; the recipe checks the key itself */
function changesOf(changes: readonly string[]): SettingsOverride {
  let all: SettingsOverride = {};
  for (const change of changes) {
    const equals = change.indexOf('=');
    if (equals < 1) throw new UsageError(`--set is '${change}'; write --set key=value.`);
    const keys = change.slice(0, equals).split('.');
    const value = keys.reduceRight<unknown>(
      (inner, key) => ({ [key]: inner }),
      valueOf(change.slice(equals + 1)),
    );
    all = mergeOverrides(all, value as SettingsOverride);
  }
  return all;
}

/** What the options change in the recipe's settings. */
export function overridesOf(values: OptionValues, lists: OptionLists = {}): SettingsOverride {
  const { temperature, routing, background, stie, k } = values;
  const source = values.source as 'local' | 'web' | 'both' | 'router' | undefined;
  const defaults = sourceDefaults({ ...sourcesOptions(values, lists) });
  const alone = source === undefined || source === defaults.retrieval?.source;
  const retrieval = {
    ...(source !== undefined && { source }),
    ...(k !== undefined && { k: Number(k) }),
  };
  const set = changesOf(lists['set'] ?? []);
  const named = mergeOverrides(alone ? defaults : {}, {
    ...(temperature !== undefined && { sampling: { temperature: Number(temperature) } }),
    ...(Object.keys(retrieval).length > 0 && { retrieval }),
    ...(routing !== undefined && { nlr: { routing: routing as 'sampled' | 'argmax' } }),
    ...(background !== undefined && {
      background: { mode: background as 'off' | 'shown' | 'shown-and-used-by-T' },
    }),
    ...(stie !== undefined && { stie: { mode: stie as 'off' | 'paper' | 'corrected' } }),
  });
  return mergeOverrides(named, set);
}
