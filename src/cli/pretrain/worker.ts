import { parentPort, workerData } from 'node:worker_threads';
import type { PolicyConfig } from '../../policy/checkpoint/config.ts';
import type { UpdateOptions } from '../../pretrain/policy/plan.ts';
import type { TrainLimits } from '../../policy/lora/train-batch.ts';
import { ExampleSource, type BatchPlan, type Cursor } from '../../pretrain/policy/batches.ts';
import {
  Replica,
  type Example,
  type Part,
  type SharedState,
} from '../../pretrain/policy/replica.ts';
import { Trainer } from '../../pretrain/policy/train.ts';
import { Updater } from '../../pretrain/policy/updater.ts';
import { readTokenizer } from './tokenizer-files.ts';

/** Entry point of a pre-training thread; it answers messages. */

/** Updates tensors and, with limits, computes gradients. */
export interface LearnInit {
  role: 'learn';
  index: number;
  replicas: number;
  config: PolicyConfig;
  /** Null where a GPU computes the gradients. */
  limits: TrainLimits | null;
  shared: SharedState;
}

/** Draws examples. */
export interface DrawInit {
  role: 'draw';
  seed: number;
  /** Folder of the tokenizer. */
  tokenizer: string;
  maxLength: number;
}

export type ThreadInit = LearnInit | DrawInit;

export type ThreadRequest =
  | { type: 'gradients'; part: Part; version: number }
  | { type: 'evaluate'; examples: readonly Example[]; version: number }
  | { type: 'reduce'; from: number; to: number; buffers: number }
  | { type: 'update'; options: UpdateOptions }
  | { type: 'batch'; from: Cursor; plan: BatchPlan };

type Answer = (request: ThreadRequest) => unknown;

const unknown = ({ type }: ThreadRequest): never => {
  throw new Error(`this thread does not know "${type}"`);
};

async function learns(init: LearnInit): Promise<Answer> {
  const { config, limits, shared } = init;
  const updater = await Updater.create(init, config, shared);
  const replica = limits && new Replica(await Trainer.create(config, limits), shared);
  return (request) => {
    if (request.type === 'reduce') return updater.reduce(request.from, request.to, request.buffers);
    if (request.type === 'update') return updater.update(request.options);
    if (replica && request.type === 'gradients')
      return replica.gradients(request.part, request.version);
    if (replica && request.type === 'evaluate')
      return replica.evaluate(request.examples, request.version);
    return unknown(request);
  };
}

function draws({ seed, tokenizer, maxLength }: DrawInit): Answer {
  const source = new ExampleSource(seed, readTokenizer(tokenizer), maxLength);
  return (request) =>
    request.type === 'batch' ? source.batch(request.from, request.plan) : unknown(request);
}

const port = parentPort;
if (port === null) throw new Error('this module runs as a worker');
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own main thread sends it
const init = workerData as ThreadInit;
const answer = init.role === 'learn' ? learns(init) : Promise.resolve(draws(init));

port.on('message', (request: ThreadRequest) => {
  answer
    .then((run) => run(request))
    .then(
      (result) => port.postMessage({ result: result ?? null }),
      (error: unknown) => port.postMessage({ error: String(error) }),
    );
});
