import { EncoderError } from './errors.ts';
import { z } from 'zod';
import { issueOf } from '../../base/errors.ts';
import { lastOf } from '../../base/items.ts';
import { parseJson, type FetchFile } from '../../base/fetch-file.ts';
import { sha256 } from '../../base/hash.ts';
import {
  ENCODER_FORMAT,
  ENCODER_MANIFEST,
  RERANKER_FORMAT,
  RERANKER_MANIFEST,
  type EncoderManifest,
  type EncoderManifestFile,
  type RerankerManifestFile,
} from './manifest.ts';

/**
 * Manifests of folders as sentence-transformers saves them (and Hugging Face holds them), with the
 * model exported to ONNX: what a manifest says is read off the folder's own files.
 */

/** A folder: what it holds, and how to read it. */
export interface ModelFolder {
  /** Last part of its path or of its repository's name. */
  name: string;
  /** Paths of its files, relative to it. */
  files: readonly string[];
  read: FetchFile;
}

/** Where exporters put the model, the one without a loss of precision first. */
const ONNX_FILES = [
  'onnx/model.onnx',
  'model.onnx',
  'onnx/model_fp16.onnx',
  'onnx/model_quantized.onnx',
];

const modulesSchema = z.array(z.object({ path: z.string(), type: z.string() })).min(1);

const flag = z.boolean().default(false);
const poolingSchema = z.object({
  /** Newer versions name the mode, older ones have a flag for each. */
  pooling_mode: z.string().optional(),
  embedding_dimension: z.int().positive().optional(),
  word_embedding_dimension: z.int().positive().optional(),
  pooling_mode_cls_token: flag,
  pooling_mode_mean_tokens: flag,
  pooling_mode_max_tokens: flag,
  pooling_mode_mean_sqrt_len_tokens: flag,
  pooling_mode_weightedmean_tokens: flag,
  pooling_mode_lasttoken: flag,
  include_prompt: z.boolean().default(true),
});

const configSchema = z.object({
  model_type: z.string().default(''),
  hidden_size: z.int().positive().optional(),
  max_position_embeddings: z.int().positive().optional(),
  pad_token_id: z.int().nonnegative().nullish(),
  num_labels: z.int().positive().optional(),
  id2label: z.record(z.string(), z.string()).optional(),
});

const promptsSchema = z.object({
  prompts: z.record(z.string(), z.string()).default({}),
  default_prompt_name: z.string().nullish(),
});

const lengthSchema = z.object({
  max_seq_length: z.int().positive().nullish(),
  do_lower_case: z.boolean().nullish(),
});

/** Very large where nothing was set. */
const tokenizerSchema = z.object({ model_max_length: z.number().positive().nullish() });

/** Names that published models give to the prompts of the two sides. */
const QUERY_PROMPTS = ['query', 'search_query', 's2p_query', 'web_search_query'];
const PASSAGE_PROMPTS = ['document', 'passage', 'corpus', 'search_document'];

/** Families whose encoders were trained with prefixes that only their model cards tell. */
const KNOWN_PREFIXES: readonly { name: RegExp; query: string; passage: string }[] = [
  { name: /(^|[-_/])e5[-_]/i, query: 'query: ', passage: 'passage: ' },
  {
    name: /(^|[-_/])bge-(small|base|large)-en/i,
    query: 'Represent this sentence for searching relevant passages: ',
    passage: '',
  },
];

/** Whether a folder looks like one of sentence-transformers' encoders. */
export const isSentenceTransformer = ({ files }: Pick<ModelFolder, 'files'>): boolean =>
  files.includes('modules.json');

/**
 * The manifest of an encoder. E5 and BGE folders without prompts of their own get those of their
 * model cards, distinguished by name.
 * @throws Error that names the file at fault and what is not supported
 */
export async function describeEncoder(
  folder: ModelFolder,
  wanted?: string,
): Promise<EncoderManifestFile> {
  const modules = await readAs(folder, 'modules.json', modulesSchema);
  const kinds = modules.map(({ type }) => lastOf(type.split('.')));
  const unknown = kinds.filter((kind) => !['Transformer', 'Pooling', 'Normalize'].includes(kind));
  if (unknown.length > 0 || kinds[0] !== 'Transformer')
    throw new EncoderError(
      `modules.json: a model of ${kinds.join(', ')} is not supported; Transformer, Pooling and Normalize are`,
    );
  const poolingFolder = modules[kinds.indexOf('Pooling')]?.path;
  if (poolingFolder === undefined) throw new EncoderError('modules.json: names no Pooling');
  const poolingFile = `${poolingFolder}/config.json`;
  const poolingConfig = await readAs(folder, poolingFile, poolingSchema);
  const text = await describeText(folder, wanted);
  const dimensions =
    poolingConfig.embedding_dimension ?? poolingConfig.word_embedding_dimension ?? text.hiddenSize;
  if (dimensions === undefined)
    throw new EncoderError(`${poolingFile}: does not say how many dimensions a vector has`);
  const prefixes = await readPrefixes(folder);
  if (!poolingConfig.include_prompt && prefixes.queryPrefix + prefixes.passagePrefix !== '')
    throw new EncoderError(`${poolingFile}: pooling without the prompt is not supported`);
  return {
    format: ENCODER_FORMAT,
    ...text.fields,
    dimensions,
    pooling: poolingOf(poolingConfig, poolingFile),
    normalize: kinds.includes('Normalize'),
    ...prefixes,
    specialTokens: true,
    layout: 'plain',
  };
}

/**
 * The manifest of a cross-encoder (an ONNX model for sequence classification with one logit, or two).
 * @throws Error that names the file at fault and what is not supported
 */
export async function describeReranker(
  folder: ModelFolder,
  wanted?: string,
): Promise<RerankerManifestFile> {
  const { fields, labels } = await describeText(folder, wanted);
  if (labels !== 1 && labels !== 2)
    throw new EncoderError(
      `config.json: ${labels} labels; a cross-encoder that orders passages has one, or two`,
    );
  return { format: RERANKER_FORMAT, ...fields, labels };
}

/** What encoders and cross-encoders have in common. */
async function describeText(folder: ModelFolder, wanted: string | undefined) {
  const model = wanted ?? ONNX_FILES.find((file) => folder.files.includes(file));
  if (model === undefined || !folder.files.includes(model))
    throw new EncoderError(
      `no ${wanted ?? ONNX_FILES.slice(0, 2).join(' or ')} in ${folder.name}: export the model to ONNX first (optimum-cli export onnx)`,
    );
  if (folder.files.includes(`${model}_data`) || folder.files.includes(`${model}.data`))
    throw new EncoderError(
      `${model}: weights in a second file are not supported; export a single file`,
    );
  const config = await readAs(folder, 'config.json', configSchema);
  const length = await readAsOr(folder, 'sentence_bert_config.json', lengthSchema);
  const tokenizer = await readAsOr(folder, 'tokenizer_config.json', tokenizerSchema);
  const hash = await sha256(await folder.read(model));
  return {
    hiddenSize: config.hidden_size,
    labels: config.num_labels ?? Object.keys(config.id2label ?? { 0: '' }).length,
    fields: {
      id: `${folder.name}@${hash.slice(0, 12)}`,
      model,
      tokenizer: 'tokenizer.json',
      maxTokens: Math.min(
        length?.max_seq_length ?? Infinity,
        tokenizer?.model_max_length ?? Infinity,
        positions(config),
      ),
      padId: config.pad_token_id ?? 0,
      lowerCase: length?.do_lower_case ?? false,
    },
  };
}

/** RoBERTa's positions begin after the id of padding. */
function positions(config: z.infer<typeof configSchema>): number {
  const { max_position_embeddings: most = 512, model_type, pad_token_id } = config;
  return /roberta|camembert|mpnet/.test(model_type) ? most - (pad_token_id ?? 1) - 1 : most;
}

function poolingOf(
  config: z.infer<typeof poolingSchema>,
  file: string,
): EncoderManifest['pooling'] {
  const flags = [
    ['mean', config.pooling_mode_mean_tokens],
    ['cls', config.pooling_mode_cls_token],
    ['max', config.pooling_mode_max_tokens],
    ['lasttoken', config.pooling_mode_lasttoken],
    ['mean_sqrt_len_tokens', config.pooling_mode_mean_sqrt_len_tokens],
    ['weightedmean', config.pooling_mode_weightedmean_tokens],
  ] as const;
  const set: string[] = flags.filter(([, on]) => on).map(([name]) => name);
  const modes = config.pooling_mode === undefined ? set : [config.pooling_mode];
  const [mode] = modes;
  if (modes.length === 1 && (mode === 'mean' || mode === 'cls' || mode === 'max')) return mode;
  if (modes.length === 1 && mode === 'lasttoken') return 'last';
  throw new EncoderError(
    `${file}: pooling by ${modes.join(' and ') || 'nothing'} is not supported`,
  );
}

async function readPrefixes(
  folder: ModelFolder,
): Promise<Pick<EncoderManifest, 'queryPrefix' | 'passagePrefix'>> {
  const config = await readAsOr(folder, 'config_sentence_transformers.json', promptsSchema);
  const prompts = config?.prompts ?? {};
  const name = config?.default_prompt_name;
  const standard = typeof name === 'string' ? prompts[name] : undefined;
  const pick = (names: readonly string[]): string | undefined =>
    names.map((name) => prompts[name]).find((prompt) => prompt !== undefined);
  const query = pick(QUERY_PROMPTS) ?? standard;
  const passage = pick(PASSAGE_PROMPTS) ?? standard;
  const known = KNOWN_PREFIXES.find((family) => family.name.test(folder.name));
  // Empty prompts are what saving writes where nobody set any.
  if (!query && !passage && known)
    return { queryPrefix: known.query, passagePrefix: known.passage };
  return { queryPrefix: query ?? '', passagePrefix: passage ?? '' };
}

async function readAs<Schema extends z.ZodType>(
  { files, read, name }: ModelFolder,
  file: string,
  schema: Schema,
): Promise<z.infer<Schema>> {
  if (!files.includes(file)) throw new EncoderError(`no ${file} in ${name}`);
  const parsed = schema.safeParse(parseJson(await read(file), file));
  if (!parsed.success) throw new EncoderError(`${file}: ${issueOf(parsed.error)}`);
  return parsed.data;
}

const readAsOr = async <Schema extends z.ZodType>(
  folder: ModelFolder,
  file: string,
  schema: Schema,
): Promise<z.infer<Schema> | null> =>
  folder.files.includes(file) ? readAs(folder, file, schema) : null;

/**
 * Reads a folder as one with a manifest: its own where it has one, else the one that is read off it.
 * @throws Error that says what is missing where it is neither
 */
export async function withManifest(
  folder: ModelFolder,
  kind: 'encoder' | 'reranker',
): Promise<FetchFile> {
  const file = kind === 'encoder' ? ENCODER_MANIFEST : RERANKER_MANIFEST;
  if (folder.files.includes(file)) return folder.read;
  const manifest = await (kind === 'encoder' ? describeEncoder(folder) : describeReranker(folder));
  const bytes = new TextEncoder().encode(JSON.stringify(manifest));
  return (name, options) => (name === file ? Promise.resolve(bytes) : folder.read(name, options));
}
