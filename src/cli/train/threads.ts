import { MessageChannel, Worker } from 'node:worker_threads';
import { PolicyLearner } from '../../learn/replicas/learner.ts';
import {
  connectReplica,
  type FromReplica,
  type ToReplica,
} from '../../learn/replicas/replica-channel.ts';
import { connectPolicy, type RemotePolicy } from '../../policy/serving/connect.ts';
import type { FromPolicy, ToPolicy } from '../../policy/serving/messages.ts';
import { PolicyPool } from '../../policy/serving/pool.ts';
import type { LoraSpec } from '../../policy/lora/spec.ts';
import type { MatrixType, StoreType } from '../../policy/ops/values.ts';
import type { CheckpointReader } from '../../policy/open/reader.ts';
import { threadCode } from '../shared/thread-code.ts';
import { portChannel } from './channel.ts';
import type { TrainThreadInit } from './worker.ts';

export interface TrainThreads {
  policy: PolicyPool;
  learner: PolicyLearner;
  close(): Promise<void>;
}

export interface ThreadOptions {
  threads: number;
  folder: string;
  id: string;
  device: 'wasm' | 'webgpu';
  weights: MatrixType | undefined;
  /** What keys and values are held in, of sampler and replica alike. */
  keys: StoreType;
  adapter: LoraSpec;
  microTokens: number;
  reader: CheckpointReader;
}

function spawn(init: TrainThreadInit): Worker {
  return new Worker(threadCode('train'), {
    eval: true,
    workerData: init,
    transferList: [init.policy, init.replica],
  });
}

async function startThread({ reader, ...rest }: Omit<ThreadOptions, 'threads'>) {
  const [sampling, training] = [new MessageChannel(), new MessageChannel()];
  const worker = spawn({ ...rest, policy: sampling.port2, replica: training.port2 });
  let policy: RemotePolicy | undefined;
  let replica: Awaited<ReturnType<typeof connectReplica>> | undefined;
  const died = new Promise<never>((_resolve, reject) => {
    const lose = (reason: Error): void => {
      policy?.lost(reason);
      replica?.lost(reason);
      reject(reason);
    };
    worker.on('error', lose);
    worker.on('exit', (code) => lose(new Error(`a training thread ended with code ${code}`)));
  });
  died.catch(() => undefined);
  const connected = Promise.all([
    connectPolicy(portChannel<FromPolicy, ToPolicy>(sampling.port1), reader.tokenizer, {
      chat: reader.chat,
    }),
    connectReplica(portChannel<FromReplica, ToReplica>(training.port1)),
  ]);
  [policy, replica] = await Promise.race([connected, died]);
  const close = async (): Promise<void> => {
    await worker.terminate();
    sampling.port1.close();
    training.port1.close();
  };
  return { policy, replica, close };
}

/** Starts threads which each hold a sampler and a replica; one policy and one learner over them. */
export async function startThreads({
  threads: n,
  ...options
}: ThreadOptions): Promise<TrainThreads> {
  const threads = await Promise.all(Array.from({ length: n }, () => startThread(options)));
  return {
    policy: new PolicyPool(threads.map(({ policy }) => policy)),
    learner: new PolicyLearner(threads.map(({ replica }) => replica)),
    close: async () => {
      await Promise.all(threads.map(({ close }) => close()));
    },
  };
}
