import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import {
  serveReplica,
  type FromReplica,
  type ToReplica,
} from '../../learn/replicas/replica-channel.ts';
import { createReplica } from '../../learn/replicas/create-replica.ts';
import '../../systems/objective-rules.ts';
import type { FromPolicy, ToPolicy } from '../../policy/serving/messages.ts';
import { servePolicy } from '../../policy/serving/serve.ts';
import { prepareNode, prepareNodeWebGpu } from '../../policy/node/prepare.ts';
import type { LoraSpec } from '../../policy/lora/spec.ts';
import type { MatrixType, StoreType } from '../../policy/ops/values.ts';
import { openCheckpointFolder } from '../shared/checkpoint-folder.ts';
import { portChannel } from './channel.ts';

/** Entry point of one training thread: a sampler and a replica of the learner over the same weights. */

export interface TrainThreadInit {
  policy: MessagePort;
  replica: MessagePort;
  folder: string;
  id: string;
  device: 'wasm' | 'webgpu';
  /** What the weights are held in; as the files and the device suggest by default. */
  weights: MatrixType | undefined;
  /** What keys and values are held in, of sampler and replica alike. */
  keys: StoreType;
  adapter: LoraSpec;
  /** Most tokens of one micro-batch. */
  microTokens: number;
}

async function start(init: TrainThreadInit): Promise<void> {
  prepareNode();
  if (init.device === 'webgpu') await prepareNodeWebGpu();
  // Loaded after Node is prepared, so that kernels are compiled as in a browser.
  const { loadPolicy } = await import('../../policy/open/load.ts');
  const { folder, id, device, weights, keys, adapter, microTokens } = init;
  const { files, limits } = await openCheckpointFolder(folder);
  const held = { keys, weights };
  const policy = await loadPolicy({ files, id, device, ...limits, ...held });
  const replica = createReplica({ policy, adapter, microTokens });
  servePolicy(policy, portChannel<ToPolicy, FromPolicy>(init.policy));
  serveReplica(replica, portChannel<ToReplica, FromReplica>(init.replica));
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own main thread sends it
await start(workerData as TrainThreadInit);
// A thread with nothing to listen to would end.
parentPort?.on('message', () => undefined);
