import { parentPort, workerData } from 'node:worker_threads';
import type { PolicyConfig } from '../policy/config.ts';
import type { UpdateOptions } from '../policy/optimizer.ts';
import type { TrainLimits } from '../policy/train-memory.ts';
import { Replica, type Example, type Part, type SharedState } from '../learn/warm-up/replica.ts';

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
const { index, replicas, config, limits, shared } = workerData as ReplicaInit;
const replica = Replica.create({ index, replicas }, config, limits, shared);

async function handle(request: ReplicaRequest): Promise<unknown> {
  const r = await replica;
  switch (request.type) {
    case 'gradients':
      return r.gradients(request.part, request.version);
    case 'evaluate':
      return r.evaluate(request.examples, request.version);
    case 'reduce':
      return r.reduce(request.from, request.to, request.buffers);
    case 'update':
      return r.update(request.options);
  }
}

port.on('message', (request: ReplicaRequest) => {
  handle(request).then(
    (result) => port.postMessage({ result }),
    (error: unknown) => port.postMessage({ error: String(error) }),
  );
});
