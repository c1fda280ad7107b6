import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { serveReplica, type FromReplica, type ToReplica } from '../../learn/rl/replica-channel.ts';
import { TrainReplica } from '../../learn/rl/replica.ts';
import type { FromPolicy, ToPolicy } from '../../policy/generation/messages.ts';
import { servePolicy } from '../../policy/generation/serve.ts';
import { prepareNode, prepareNodeWebGpu } from '../../policy/jax-node.ts';
import type { LoraSpec } from '../../policy/lora/spec.ts';
import type { LoraTrainer } from '../../policy/lora/trainer.ts';
import { fetchFromDisk } from '../build-world.ts';
import { readFolderWeights } from '../parts.ts';
import { portChannel } from './channel.ts';

/** Entry point of one training thread: a sampler and a replica of the learner over the same weights. */

export interface TrainThreadInit {
  policy: MessagePort;
  replica: MessagePort;
  folder: string;
  id: string;
  device: 'wasm' | 'webgpu';
  adapter: LoraSpec;
  /** Most tokens of one micro-batch. */
  microTokens: number;
}

async function createTrainer(init: TrainThreadInit): Promise<LoraTrainer> {
  const weights = await readFolderWeights(init.folder);
  const maxLength = weights.config.maxPositions;
  const limits = { maxTokens: Math.max(init.microTokens, maxLength), maxLength };
  if (init.device !== 'wasm') throw new Error('training on webgpu is not there yet; use wasm');
  const { createWasmLoraTrainer } = await import('../../policy/lora/wasm/trainer.ts');
  return createWasmLoraTrainer(weights, init.adapter, limits);
}

async function start(init: TrainThreadInit): Promise<void> {
  prepareNode();
  if (init.device === 'webgpu') await prepareNodeWebGpu();
  // Loaded after Node is prepared: jax-js looks at what the platform has when it is imported.
  const { loadPolicy } = await import('../../policy/load.ts');
  const { folder, id, device } = init;
  const policy = await loadPolicy({ files: fetchFromDisk(folder), id, device });
  const trainer = await createTrainer(init);
  servePolicy(policy, portChannel<ToPolicy, FromPolicy>(init.policy));
  serveReplica(new TrainReplica(trainer), portChannel<ToReplica, FromReplica>(init.replica));
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own main thread sends it
await start(workerData as TrainThreadInit);
// A thread with nothing to listen to would end.
parentPort?.on('message', () => undefined);
