import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { coverageOf, createRouter, type AgentDeps, type Router } from '../agent/index.ts';
import type { RouterWeights } from '../agent/router/network.ts';
import { parsePolicyConfig, type PolicyConfig } from '../policy/config.ts';
import { mergeAdapter } from '../policy/lora/merge.ts';
import { ADAPTER_CONFIG, ADAPTER_WEIGHTS, readPeft, type Adapter } from '../policy/lora/peft.ts';
import type { Policy } from '../policy/policy.ts';
import { readWeights, writeWeights, type PolicyWeights } from '../policy/weights.ts';
import type { FetchFile } from '../retrieval/fetch-file.ts';
import { openWorldRetriever } from '../retrieval/open.ts';
import type { Retriever } from '../retrieval/retriever.ts';
import { loadWorld, type World } from '../retrieval/world/load.ts';
import { fetchFromDisk, openEncoderFromDisk } from './build-world.ts';
import { prepareNode, prepareNodeWebGpu } from '../policy/jax-node.ts';
import { UsageError } from './options.ts';
import { projectPath } from './paths.ts';

export interface PartsOptions {
  /** Folder of the world; the built-in one unless given. */
  world?: string | undefined;
  /** Folder of the checkpoint; the built-in policy unless given. */
  policy?: string | undefined;
  device: 'wasm' | 'webgpu';
  /** PEFT folder of an adapter that is merged into the policy. */
  adapter?: string | undefined;
  /** Of a trained router; the prior unless given. */
  routerWeights?: RouterWeights | undefined;
  onProgress?: (line: string) => void;
}

export interface Parts {
  deps: AgentDeps;
  world: World;
  dispose(): void;
}

/** A folder that holds the file by which its kind is known. @throws UsageError */
function folder(given: string | undefined, fallback: string, what: string, holds: string): string {
  const path = given ?? projectPath(fallback);
  if (!existsSync(join(path, holds)))
    throw new UsageError(`${path} is no ${what}: it has no ${holds}.`);
  return path;
}

/** Name of a checkpoint folder for records: what its config says, or the folder's own name. */
export function checkpointName(path: string): string {
  const config: unknown = JSON.parse(readFileSync(join(path, 'config.json'), 'utf8'));
  const named = (config as { _name_or_path?: unknown })._name_or_path;
  return typeof named === 'string' && named !== '' ? named : (path.split('/').at(-1) ?? path);
}

/** The folder of the policy. @throws UsageError where it is none */
export const policyFolder = (given: string | undefined): string =>
  folder(given, 'public/policy', 'checkpoint', 'config.json');

/** Files of a checkpoint whose weights have an adapter merged into them. */
function mergedFiles(path: string, adapter: string): FetchFile {
  const fetchFile = fetchFromDisk(path);
  return async (name, options) => {
    if (name !== 'model.safetensors') return fetchFile(name, options);
    const weights = await readFolderWeights(path);
    const { spec, flat } = await readAdapterFolder(weights.config, adapter);
    return writeWeights(mergeAdapter(weights, spec, flat), 'F32');
  };
}

/** Config and weights of a checkpoint folder, float32. */
export async function readFolderWeights(path: string): Promise<PolicyWeights> {
  const fetchFile = fetchFromDisk(path);
  const config = new TextDecoder().decode(await fetchFile('config.json'));
  return readWeights(parsePolicyConfig(JSON.parse(config)), await fetchFile('model.safetensors'));
}

/** @throws UsageError where the folder has no adapter; AdapterError for one that does not fit */
async function readAdapterFolder(config: PolicyConfig, path: string): Promise<Adapter> {
  folder(path, '', 'adapter', ADAPTER_CONFIG);
  folder(path, '', 'adapter', ADAPTER_WEIGHTS);
  const names = [ADAPTER_CONFIG, ADAPTER_WEIGHTS];
  const bytes = await Promise.all(names.map((name) => fetchFromDisk(path)(name)));
  return readPeft(
    config,
    names.map((name, i) => ({ name, bytes: bytes[i]! })),
  );
}

async function openPolicy(options: PartsOptions): Promise<Policy> {
  const path = policyFolder(options.policy);
  prepareNode();
  if (options.device === 'webgpu') await prepareNodeWebGpu();
  // Loaded after Node is prepared: jax-js looks at what the platform has when it is imported.
  const { loadPolicy } = await import('../policy/load.ts');
  return loadPolicy({
    files: options.adapter === undefined ? fetchFromDisk(path) : mergedFiles(path, options.adapter),
    id: checkpointName(path),
    device: options.device,
    onProgress: ({ stage }) => options.onProgress?.(`policy: ${stage}`),
  });
}

/** World, retrieval and router: what a policy works with. */
export interface OpenWorld {
  world: World;
  retriever: Retriever;
  router: Router;
}

/** @throws UsageError */
export async function openWorld(
  given: string | undefined,
  weights?: RouterWeights,
): Promise<OpenWorld> {
  const path = folder(given, 'public/world', 'world', 'manifest.json');
  const fetchFile = fetchFromDisk(path);
  const world = await loadWorld(fetchFile);
  const encoder = world.vectors ? await openEncoderFromDisk(projectPath('public/encoder')) : null;
  const retriever = openWorldRetriever(world, fetchFile, { encoder });
  const router = createRouter({
    localCoverage: coverageOf(world.local),
    ...(weights && { weights }),
  });
  return { world, retriever, router };
}

/**
 * Opens policy, world, retrieval and router as the page does.
 * @throws UsageError, CheckpointError and AdapterError that name the folder or file at fault
 */
export async function openParts(options: PartsOptions): Promise<Parts> {
  // Said at once, not after the world is open.
  policyFolder(options.policy);
  const { world, retriever, router } = await openWorld(options.world, options.routerWeights);
  const policy = await openPolicy(options);
  return {
    deps: { policy, retriever, router, now: Date.now },
    world,
    dispose: () => policy.dispose(),
  };
}
