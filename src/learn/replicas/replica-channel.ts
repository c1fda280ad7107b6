import { messageOf } from '../../base/errors.ts';
import type { HiddenStates } from '../../policy/lora/trainer.ts';
import type { Channel } from '../../policy/serving/messages.ts';
import type {
  ItemObjective,
  ItemScores,
  PartGradient,
  ReplicaClient,
  ScoredItem,
  TrainItem,
} from './replica.ts';

/**
 * A replica in a browser's worker or a Node thread. Messages of its own instead of the page's remote
 * calls (`lab/rpc`): training runs without a browser, and this folder lies below everything that knows
 * comlink. The owner of the worker notices its death and calls `lost`.
 */

type Call =
  | { type: 'setAdapter'; version: number; flat: Float32Array | null }
  | { type: 'gradient'; items: readonly TrainItem[]; objective: ItemObjective }
  | { type: 'score'; items: readonly ScoredItem[] }
  | { type: 'hidden'; items: readonly ScoredItem[] }
  | { type: 'bytes' }
  | { type: 'close' };

/** `replica` marks messages, so that a policy may be served over the same channel. */
export interface ToReplica {
  replica: number;
  call: Call;
}

export type FromReplica =
  | { replica: 'ready'; maxTokens: number; packTokens?: number | undefined }
  /** Tokens of a batch that were computed since the last such message. */
  | { replica: 'work'; tokens: number }
  | { replica: number; result: Answer }
  | { replica: number; error: string };

type Answer = PartGradient | ItemScores[] | HiddenAnswer | number | null;

/** Under a name, to be distinguished from scores. */
interface HiddenAnswer {
  hidden: HiddenStates[];
}

async function answer(replica: ReplicaClient, call: Call): Promise<Answer> {
  switch (call.type) {
    case 'setAdapter':
      await replica.setAdapter(call.version, call.flat);
      return null;
    case 'gradient':
      return replica.gradient(call.items, call.objective);
    case 'score':
      return replica.score(call.items);
    case 'hidden': {
      if (!replica.hidden) throw new Error('learner: a worker gives no hidden states');
      return { hidden: await replica.hidden(call.items) };
    }
    case 'bytes':
      return replica.bytes();
    case 'close':
      await replica.close();
      return null;
  }
}

/** Serves a replica to the other end of a channel, for `connectReplica`. */
export function serveReplica(
  replica: ReplicaClient,
  channel: Channel<ToReplica, FromReplica>,
): void {
  channel.addEventListener('message', ({ data }) => {
    if (typeof data !== 'object' || !('replica' in data)) return;
    answer(replica, data.call).then(
      (result) => channel.postMessage({ replica: data.replica, result }),
      (error: unknown) => channel.postMessage({ replica: data.replica, error: messageOf(error) }),
    );
  });
  replica.onTokens = (tokens) => channel.postMessage({ replica: 'work', tokens });
  channel.start?.();
  channel.postMessage({
    replica: 'ready',
    maxTokens: replica.maxTokens,
    packTokens: replica.packTokens,
  });
}

type Result = Extract<FromReplica, { result: unknown }>['result'];

/** The near end of a replica in a worker. */
export class RemoteReplica implements ReplicaClient {
  readonly maxTokens: number;
  readonly packTokens: number | undefined;
  onTokens: ReplicaClient['onTokens'];
  readonly #port: Channel<FromReplica, ToReplica>;
  readonly #waiting = new Map<
    number,
    { resolve: (result: Result) => void; reject: (reason: Error) => void }
  >();
  #next = 0;
  #fault: Error | null = null;

  constructor(
    port: Channel<FromReplica, ToReplica>,
    { maxTokens, packTokens }: Pick<ReplicaClient, 'maxTokens' | 'packTokens'>,
  ) {
    this.#port = port;
    this.maxTokens = maxTokens;
    this.packTokens = packTokens;
    port.addEventListener('message', ({ data }) => this.#receive(data));
  }

  async setAdapter(version: number, flat: Float32Array | null): Promise<void> {
    await this.#call({ type: 'setAdapter', version, flat });
  }

  async gradient(items: readonly TrainItem[], objective: ItemObjective): Promise<PartGradient> {
    const result = await this.#call({ type: 'gradient', items, objective });
    if (typeof result !== 'object' || result === null || !('gradient' in result))
      throw new Error('learner: a worker did not answer with a gradient');
    return result;
  }

  async score(items: readonly ScoredItem[]): Promise<ItemScores[]> {
    const result = await this.#call({ type: 'score', items });
    if (!Array.isArray(result)) throw new Error('learner: a worker did not answer with scores');
    return result;
  }

  async hidden(items: readonly ScoredItem[]): Promise<HiddenStates[]> {
    const result = await this.#call({ type: 'hidden', items });
    if (typeof result !== 'object' || result === null || !('hidden' in result))
      throw new Error('learner: a worker did not answer with hidden states');
    return result.hidden;
  }

  async bytes(): Promise<number> {
    return Number(await this.#call({ type: 'bytes' }));
  }

  async close(): Promise<void> {
    if (!this.#fault) await this.#call({ type: 'close' });
  }

  /** Rejects all calls, those to come too: the worker after the channel is gone. */
  lost(reason: Error): void {
    this.#fault ??= reason;
    for (const { reject } of this.#waiting.values()) reject(reason);
    this.#waiting.clear();
  }

  #call(call: Call): Promise<Result> {
    if (this.#fault) return Promise.reject(this.#fault);
    const replica = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(replica, { resolve, reject });
      this.#port.postMessage({ replica, call });
    });
  }

  #receive(message: FromReplica): void {
    if (typeof message !== 'object' || !('replica' in message) || message.replica === 'ready')
      return;
    if (message.replica === 'work') {
      this.onTokens?.(message.tokens);
      return;
    }
    const waiting = this.#waiting.get(message.replica);
    this.#waiting.delete(message.replica);
    if ('error' in message) waiting?.reject(new Error(message.error));
    else waiting?.resolve(message.result);
  }
}

/** Connects to a replica that `serveReplica` offers at the other end; resolves when it is ready. */
export function connectReplica(port: Channel<FromReplica, ToReplica>): Promise<RemoteReplica> {
  return new Promise((resolve) => {
    const onReady = ({ data }: MessageEvent<FromReplica>): void => {
      if (typeof data !== 'object' || !('replica' in data) || data.replica !== 'ready') return;
      port.removeEventListener('message', onReady);
      resolve(new RemoteReplica(port, data));
    };
    port.addEventListener('message', onReady);
    port.start?.();
  });
}
