import { isGgufName } from '../../formats/gguf.ts';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { messageOf } from '../../base/errors.ts';
import { coverageOf } from '../../agent/router/coverage.ts';
import { createRouter, type Router } from '../../agent/router/router.ts';
import type { AgentDeps } from '../../agent/request.ts';
import type { RouterWeights } from '../../agent/router/network.ts';
import type { PolicyConfig } from '../../policy/checkpoint/config.ts';
import { heldRevision } from '../../policy/open/device.ts';
import { prepareNode, prepareNodeWebGpu } from '../../policy/node/prepare.ts';
import { loadPolicy } from '../../policy/open/load.ts';
import { ADAPTER_GATES } from '../../policy/lora/gates-file.ts';
import {
  ADAPTER_CONFIG,
  ADAPTER_WEIGHTS,
  readPeft,
  type Adapter,
  type AdapterFile,
} from '../../policy/lora/peft.ts';
import type { LoadedPolicy } from '../../policy/open/loaded-policy.ts';
import type { MatrixType, StoreType } from '../../policy/ops/values.ts';
import { openReader } from '../../policy/open/reader.ts';
import type { QuestionSplit } from '../../lab/corpus/retrieval/split.ts';
import type { SourceName } from '../../records/hits.ts';
import { createRetriever } from '../../retrieval/create.ts';
import { mentionsIn, type Mentions } from '../../retrieval/lexical/mentions.ts';
import { openWorldRetriever, type WorldRetriever } from '../../retrieval/open.ts';
import { openByMethod, type Retriever } from '../../retrieval/retriever.ts';
import type { Summarizer } from '../../retrieval/summarize/summarizer.ts';
import { loadWorld, type World } from '../../retrieval/world/load.ts';
import { fetchFromDisk, openEncoderFromDisk } from './build-world.ts';
import {
  folderRevision,
  openCheckpointFolder,
  type CheckpointFolder,
} from './checkpoint-folder.ts';
import { adapterHashes, checkedFile } from './hashes.ts';
import { checkFits } from './memory.ts';
import { openEngine, type EngineOptions } from './engine.ts';
import { openCorpus, readCorpus, readQuestions, type SplitBy } from './import-files.ts';
import { makeWorld, type GeneratedWorld } from './generated-world.ts';
import { UsageError } from './options.ts';
import { builtIn } from './paths.ts';

export interface PartsOptions {
  /** Folder of the world, or the seed of a generated one; the built-in one by default. */
  world?: string | GeneratedWorld | undefined;
  /** Files of passages, used instead of the world's local corpus. */
  corpus?: CorpusOptions | undefined;
  /** A search engine, used instead of the world's web. */
  engine?: EngineOptions | undefined;
  /** File of questions, used instead of the world's, and how they are split. */
  questions?: string | undefined;
  split?: SplitBy | undefined;
  /** Writes what the policy reads in place of passages, where the recipe wants summaries. */
  summarizer?: { summarizer: Summarizer; close(): void } | null | undefined;
  /** Folder of the checkpoint; the built-in policy by default. */
  policy?: string | undefined;
  device: 'wasm' | 'webgpu';
  /** Precision of the policy's weights; chosen by its files and the device by default. */
  weights?: MatrixType | undefined;
  /** Precision of the KV cache; chosen by its size and the device by default. */
  keys?: StoreType | undefined;
  /** PEFT folder of an adapter that is merged into the policy. */
  adapter?: string | undefined;
  /** Of a trained router; the prior by default. */
  routerWeights?: RouterWeights | undefined;
  onProgress?: (line: string) => void;
  /** What the user should know of the files that were read. */
  onNotice?: (line: string) => void;
}

interface CorpusOptions {
  files: readonly string[];
  /** Id of a way of searching (`retrieval/methods/list.ts`). */
  method: string;
  /** Folder of an encoder; the built-in one by default. */
  encoder?: string | undefined;
}

export interface Parts {
  deps: AgentDeps;
  world: World;
  /** Names that the passages of both sources mention; null with a search engine, whose passages are unknown. */
  mentions: Record<SourceName, Mentions | null>;
  dispose(): void;
}

/** A folder that holds the file by which its kind is known. @throws UsageError */
function folder(given: string | undefined, fallback: string, what: string, holds: string): string {
  const path = given ?? fallback;
  if (!existsSync(join(path, holds)))
    throw new UsageError(
      `${path} is not ${what === 'adapter' ? 'an' : 'a'} ${what} folder: ${holds} is missing.`,
    );
  return path;
}

/** A GGUF file of a folder that is no checkpoint itself. */
function onlyGguf(path: string): string | undefined {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return undefined;
  const names = readdirSync(path).toSorted();
  const name = names.includes('config.json') ? undefined : names.find(isGgufName);
  return name === undefined ? undefined : join(path, name);
}

/** The folder of the policy, or its GGUF file. @throws UsageError where it is none */
export function policyFolder(given: string | undefined): string {
  if (given === undefined || !isGgufName(given)) {
    const inside = given === undefined ? undefined : onlyGguf(given);
    if (inside !== undefined)
      throw new UsageError(`${given} holds GGUF files; name one of them: --policy ${inside}.`);
    return folder(given, builtIn('policy'), 'checkpoint', 'config.json');
  }
  if (existsSync(given)) return given;
  throw new UsageError(`${given} is missing; correct the name of the GGUF file.`);
}

/** The checkpoint of a folder; the built-in policy's by default. @throws UsageError, CheckpointError */
export const openFolder = (given: string | undefined): Promise<CheckpointFolder> =>
  openCheckpointFolder(policyFolder(given));

/**
 * The adapter of a PEFT folder; its files are compared with their hashes where these were kept (`hashes.ts`).
 * @throws UsageError where the folder has no adapter, or a damaged one; AdapterError for one that does not fit
 */
export async function readAdapterFolder(config: PolicyConfig, path: string): Promise<Adapter> {
  folder(path, '', 'adapter', ADAPTER_CONFIG);
  folder(path, '', 'adapter', ADAPTER_WEIGHTS);
  const gated = existsSync(join(path, ADAPTER_GATES));
  const names = [ADAPTER_CONFIG, ADAPTER_WEIGHTS, ...(gated ? [ADAPTER_GATES] : [])];
  return readPeft(config, readAdapterFiles(path, names));
}

function readAdapterFiles(path: string, names: readonly string[]): AdapterFile[] {
  try {
    const hashes = adapterHashes(resolve(path));
    return names.map((name) => ({
      name,
      bytes:
        hashes && name in hashes
          ? checkedFile(path, name, hashes)
          : new Uint8Array(readFileSync(join(path, name))),
    }));
  } catch (error) {
    throw new UsageError(`${messageOf(error)}; take the adapter of another step, or a copy.`, {
      cause: error,
    });
  }
}

/** Revision of weights with an adapter merged into them, which differs from the checkpoint's. */
export const foldedRevision = (revision: string, { spec, flat }: Adapter): string =>
  createHash('sha256')
    .update(`${revision}\n${JSON.stringify(spec)}\n`)
    .update(new Uint8Array(flat.buffer, flat.byteOffset, flat.byteLength))
    .digest('hex')
    .slice(0, 12);

/** A policy as `openParts` opens it, without a world. */
export async function openPolicy(options: PartsOptions): Promise<LoadedPolicy> {
  const checkpoint = await openFolder(options.policy);
  const { id, files, config, limits } = checkpoint;
  checkFits(checkpoint, options);
  const adapter =
    options.adapter === undefined ? null : await readAdapterFolder(config, options.adapter);
  const [revision, { chat }] = await Promise.all([folderRevision(checkpoint), openReader(files)]);
  prepareNode();
  if (options.device === 'webgpu') await prepareNodeWebGpu();
  const policy = await loadPolicy({
    files,
    id,
    revision: heldRevision(adapter ? foldedRevision(revision, adapter) : revision, options.weights),
    device: options.device,
    weights: options.weights,
    keys: options.keys,
    ...limits,
    ...(chat && { chat }),
    onProgress: ({ stage }) => options.onProgress?.(`policy: ${stage}`),
  });
  for (const note of policy.info.notes ?? []) options.onNotice?.(note);
  if (adapter) await policy.setAdapter(adapter);
  return policy;
}

/** World, retrieval and router: the environment of a policy. */
export interface OpenWorld {
  world: World;
  retriever: WorldRetriever;
  router: Router;
}

/** @throws UsageError */
export async function openWorld(
  given: string | GeneratedWorld | undefined,
  weights?: RouterWeights,
  onProgress: (line: string) => void = () => undefined,
): Promise<OpenWorld> {
  const fetchFile =
    typeof given === 'object'
      ? await makeWorld(given, (done, total) => onProgress(`encoding passages ${done}/${total}`))
      : fetchFromDisk(folder(given, builtIn('world'), 'world', 'manifest.json'));
  const world = await loadWorld(fetchFile);
  const encoder = world.vectors ? await openEncoderFromDisk(builtIn('encoder')) : null;
  const retriever = openWorldRetriever(world, fetchFile, { encoder });
  return { world, retriever, router: routerOver(world, weights) };
}

const routerOver = ({ local }: World, weights: RouterWeights | undefined): Router =>
  createRouter({ localCoverage: coverageOf(local), weights });

/** Sources and questions as the user named them: the world's, those of files, or a search engine. */
export interface OpenSources extends Omit<OpenWorld, 'retriever'> {
  retriever: Retriever;
  mentions: Parts['mentions'];
  /** How the questions of a file were split; null for those of a world. */
  split: QuestionSplit | null;
}

/**
 * Opens a world with the corpus, questions and search engine that replace its own.
 * @throws UsageError that names the folder, file or address at fault
 */
export async function openSources(
  options: Omit<PartsOptions, 'policy' | 'device' | 'weights' | 'keys' | 'adapter' | 'summarizer'>,
): Promise<OpenSources> {
  const {
    corpus,
    engine,
    questions,
    routerWeights,
    onProgress = () => undefined,
    onNotice = () => undefined,
  } = options;
  const opened = await openWorld(options.world, routerWeights, onProgress);
  const world = { ...opened.world };
  const asked =
    questions === undefined ? null : await readQuestions(questions, onNotice, options.split);
  if (asked) world.questions = asked.questions;
  const split = asked && asked.split;
  const ownWeb = opened.retriever.web;
  const web = engine ? await openEngine(engine) : ownWeb;
  const webMentions = engine ? null : ownWeb.mentions;
  if (corpus) world.local = await readCorpus(corpus.files, onNotice);
  const mentions = { local: mentionsIn(world.local), web: webMentions };
  if (!corpus && !engine) return { ...opened, world, mentions, split };
  const encoder = corpus?.encoder ?? builtIn('encoder');
  const local = corpus
    ? await openCorpus(world.local, corpus.method, encoder, onProgress)
    : opened.retriever.local;
  const by = openByMethod(async (method) =>
    createRetriever({
      local: await openCorpus(world.local, method, encoder, onProgress),
      web,
    }),
  );
  return {
    world,
    retriever: { ...createRetriever({ local, web }), by },
    router: corpus ? routerOver(world, routerWeights) : opened.router,
    mentions,
    split,
  };
}

/**
 * Opens policy, world, retrieval and router as the page does.
 * @throws UsageError, CheckpointError and AdapterError that name the folder or file at fault
 */
export async function openParts(options: PartsOptions): Promise<Parts> {
  // Report a wrong policy at once, not after the world is open.
  policyFolder(options.policy);
  const { world, retriever, router, mentions } = await openSources(options);
  const policy = await openPolicy(options);
  const helper = options.summarizer ?? null;
  return {
    deps: { policy, retriever, router, now: Date.now, summarizer: helper && helper.summarizer },
    world,
    mentions,
    dispose: () => {
      helper?.close();
      policy.dispose();
    },
  };
}
