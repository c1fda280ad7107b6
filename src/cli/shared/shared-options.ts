import { valueOf } from '../../learn/settings/edit-settings.ts';
import { QUESTION_TYPES } from '../../records/records.ts';
import { mergeOverrides, type SettingsOverride } from '../../recipes/parts/settings.ts';
import { RECIPES } from '../../recipes/index.ts';
import { LOCAL_ONLY } from '../../recipes/local-only.ts';
import { WEB_ONLY } from '../../recipes/web-only.ts';
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

/** How a training is spread over this machine. */
export const THREAD_OPTIONS = {
  threads: {
    type: 'integer',
    value: 'T',
    help: 'samplers and replicas; the result does not depend on it',
    default: 2,
    min: 1,
    max: 64,
  },
  'micro-tokens': {
    type: 'integer',
    value: 'N',
    help: 'tokens of one micro-batch; at least one whole context',
    default: 2048,
    min: 1,
  },
} as const satisfies Record<string, OptionSpec>;

/** Passages and questions of your own. */
export const SOURCE_OPTIONS = {
  corpus: {
    type: 'string',
    value: 'FILE',
    help: "passages to search instead of the world's; may be repeated; --source is local then unless given",
    multiple: true,
  },
  ...ENGINE_OPTIONS,
  questions: { type: 'string', value: 'FILE', help: "questions instead of the world's" },
  'split-field': {
    type: 'string',
    value: 'PATH',
    help: 'field of --questions that says train, dev or test; split unless given',
  },
  'split-seed': {
    type: 'integer',
    value: 'S',
    help: 'seed of the shares where no field says it (70 % train, 15 % dev, 15 % test); 0, as the page has it, unless given',
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
    help: 'ONNX encoder of --method; the built-in one unless given',
  },
} as const satisfies Record<string, OptionSpec>;

/** Environment variable with the key of a server; never an option, which others could read in the list of processes. */
export const KEY_VARIABLE = 'FORAGE_API_KEY';

export const SUMMARIZER_OPTIONS = {
  summarizer: {
    type: 'string',
    value: 'WHO',
    help: `who summarizes, where the recipe's retrieval.summarize is on: extractive (built in), the folder of a chat model, or an OpenAI-compatible server (its key in ${KEY_VARIABLE})`,
  },
  'summarizer-model': {
    type: 'string',
    value: 'NAME',
    help: "which of the server's models; its only one unless given",
  },
} as const satisfies Record<string, OptionSpec>;

export const PARTS_OPTIONS = {
  world: { type: 'string', value: 'DIR', help: 'world folder; the built-in one unless given' },
  ...GENERATED_WORLD_OPTIONS,
  policy: {
    type: 'string',
    value: 'DIR',
    help: 'checkpoint folder; the built-in one unless given',
  },
  ...SOURCE_OPTIONS,
  ...SUMMARIZER_OPTIONS,
  device: {
    type: 'string',
    help: 'where the policy runs',
    choices: ['wasm', 'webgpu'],
    default: 'wasm',
  },
  weights: {
    type: 'string',
    help: "what the policy's weights are held in; as its files and the device suggest unless given",
    choices: MATRIX_TYPES,
  },
  kv: {
    type: 'string',
    help: 'what keys and values of contexts (the KV cache) are held in; f16 on webgpu where they are large, else f32, unless given',
    choices: STORE_TYPES,
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
});

/**
 * Where searches go that name no source: a corpus of your own is not known to the world's web, nor a
 * search engine to the world's passages. With both of your own it is as the recipe says.
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
    help: "which questions; the world's test questions, or all of --questions, unless given",
    choices: ['train', 'dev', 'test', 'all'],
  },
  hops: { type: 'integer', value: 'H', help: 'only questions of that many hops', min: 1, max: 5 },
  type: {
    type: 'string',
    help: 'only questions of that type',
    choices: QUESTION_TYPES,
  },
  compositions: {
    type: 'string',
    help: 'only questions whose chain of relations training never asks (held-out), or may ask',
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
    help: "how the router chooses: drawn from its probabilities, or the likelier source; the recipe's unless given",
    choices: ['sampled', 'argmax'],
  },
  background: {
    type: 'string',
    help: 'RDRA',
    choices: ['off', 'shown', 'shown-and-used-by-T'],
  },
  stie: { type: 'string', help: 'STIE', choices: ['off', 'paper', 'corrected'] },
  k: { type: 'integer', value: 'K', help: 'passages a search returns', min: 1, max: 20 },
  set: {
    type: 'string',
    value: 'K=V',
    help: "change a setting of the recipe's loop, e.g. retrieval.maxSearches=4; may be repeated",
    multiple: true,
  },
} as const satisfies Record<string, OptionSpec>;

/** @throws UsageError for what is not a change; whether the setting is one, the recipe says */
function changesOf(changes: readonly string[]): SettingsOverride {
  let all: SettingsOverride = {};
  for (const change of changes) {
    const equals = change.indexOf('=');
    if (equals < 1) throw new UsageError(`'${change}' is no change; write --set key=value.`);
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
