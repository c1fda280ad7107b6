import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { coverageOf, createRouter, type AgentDeps } from '../agent/index.ts';
import type { Policy } from '../policy/policy.ts';
import { openWorldRetriever } from '../retrieval/open.ts';
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
  onProgress?: (line: string) => void;
}

export interface Parts {
  deps: AgentDeps;
  world: World;
  dispose(): void;
}

function folder(given: string | undefined, fallback: string, what: string, holds: string): string {
  const path = given ?? projectPath(fallback);
  if (!existsSync(join(path, holds)))
    throw new UsageError(`${path} is no ${what}: it has no ${holds}.`);
  return path;
}

/** Name of a checkpoint folder for records: what its config says, or the folder's own name. */
function checkpointName(path: string): string {
  const config: unknown = JSON.parse(readFileSync(join(path, 'config.json'), 'utf8'));
  const named = (config as { _name_or_path?: unknown })._name_or_path;
  return typeof named === 'string' && named !== '' ? named : (path.split('/').at(-1) ?? path);
}

async function openPolicy(options: PartsOptions): Promise<Policy> {
  const path = folder(options.policy, 'public/policy', 'checkpoint', 'config.json');
  prepareNode();
  if (options.device === 'webgpu') await prepareNodeWebGpu();
  // Loaded after Node is prepared: jax-js looks at what the platform has when it is imported.
  const { loadPolicy } = await import('../policy/load.ts');
  return loadPolicy({
    files: fetchFromDisk(path),
    id: checkpointName(path),
    device: options.device,
    onProgress: ({ stage }) => options.onProgress?.(`policy: ${stage}`),
  });
}

/**
 * Opens policy, world, retrieval and router as the page does.
 * @throws UsageError and CheckpointError that name the folder or file at fault
 */
export async function openParts(options: PartsOptions): Promise<Parts> {
  const path = folder(options.world, 'public/world', 'world', 'manifest.json');
  const fetchFile = fetchFromDisk(path);
  const world = await loadWorld(fetchFile);
  const encoder = world.vectors ? await openEncoderFromDisk(projectPath('public/encoder')) : null;
  const retriever = openWorldRetriever(world, fetchFile, { encoder });
  const policy = await openPolicy(options);
  const router = createRouter({ localCoverage: coverageOf(world.local) });
  return {
    deps: { policy, retriever, router, now: Date.now },
    world,
    dispose: () => policy.dispose(),
  };
}
