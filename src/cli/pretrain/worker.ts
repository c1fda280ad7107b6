import { parentPort, workerData } from 'node:worker_threads';
import type { PolicyConfig } from '../../policy/checkpoint/config.ts';
import type { UpdateOptions } from '../../policy/lora/optimizer.ts';
import type { TrainLimits } from '../../policy/lora/train-batch.ts';
import {
  Replica,
  type Example,
  type Part,
  type Score,
  type SharedState,
} from '../../pretrain/policy/replica.ts';

/** Entry point of one training thread: a replica behind messages. */

export interface ReplicaInit {
  index: number;
  replicas: number;
  config: PolicyConfig;
  limits: TrainLimits;
  shared: SharedState;
}

export type ReplicaRequest =
  | { type: 'gradients'; part: Part; version: number }
  | { type: 'evaluate'; examples: readonly Example[]; version: number }
  | { type: 'reduce'; from: number; to: number; buffers: number }
  | { type: 'update'; options: UpdateOptions };

const port = parentPort;
if (port === null) throw new Error('this module runs as a worker');
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own main thread sends it
const { index, replicas, config, limits, shared } = workerData as ReplicaInit;
const replica = Replica.create({ index, replicas }, config, limits, shared);

function answer(r: Replica, request: ReplicaRequest): Score[] | number | null {
  if (request.type === 'gradients') return r.gradients(request.part, request.version);
  if (request.type === 'evaluate') return r.evaluate(request.examples, request.version);
  if (request.type === 'reduce') return r.reduce(request.from, request.to, request.buffers);
  r.update(request.options);
  return null;
}

port.on('message', (request: ReplicaRequest) => {
  replica
    .then((r) => answer(r, request))
    .then(
      (result) => port.postMessage({ result }),
      (error: unknown) => port.postMessage({ error: String(error) }),
    );
});
