import type { HiddenStates, LoraTrainer, RowScores } from '../../policy/lora/trainer.ts';
import { packShared } from '../../policy/lora/shared-prefix.ts';
import type { Latents, PackedBatch } from '../../policy/lora/train-batch.ts';
import { negativeLogLikelihood, tokenObjective, type Objective } from '../objective.ts';
import { itemAt } from '../../base/items.ts';
import { trainedCount } from '../mask.ts';

/** One rollout as the learner sees it. */
export interface TrainItem {
  /** Every token of the context. */
  ids: Int32Array;
  /** 1 where the policy wrote the token; the first token of a context is never trained. */
  mask: Uint8Array;
  /** What it was sampled at: log-probabilities, old, new and of the reference, are of softmax(logits / T). */
  temperature: number;
  /** Of the trained tokens only, in order: what the sampler said; and the reference, or null. */
  oldLogprobs: Float32Array;
  refLogprobs: Float32Array | null;
  /** What the ratio is taken to, where that is not what the sampler said: ln of a mixture's density. */
  behaviour?: Float32Array;
  /** Of the rollout, or one for each trained token. */
  advantage: number | Float32Array;
  /** Of each trained token in the loss of the batch (`sequenceWeights`). */
  weight: number;
  /** Whether its answer was right. */
  right?: boolean;
  /** Whether an earlier adapter sampled it, so that even at the first update its ratio is not 1. */
  stale?: boolean;
  /** What was read as mixtures; the reference reads the tokens themselves. */
  latents?: Latents;
  /** Tokens with which the context restarted, in order; the learner makes items of one context of such an item. */
  starts?: readonly number[];
}

/** What the trainer scores. */
export type ScoredItem = Pick<TrainItem, 'ids' | 'mask' | 'temperature' | 'latents' | 'starts'>;

/** What is minimised: a policy-gradient loss, or `Σ −weight · logprob`, the supervised one. */
export type ItemObjective = Objective | 'likelihood';

/** Log-probabilities and entropies (nats) of an item's trained tokens under the trainer. */
export interface ItemScores {
  logprobs: Float32Array;
  entropies: Float32Array;
}

export interface ItemResult extends ItemScores {
  loss: number;
  clipped: number;
  kl: number;
}

export interface PartGradient {
  gradient: Float32Array;
  items: ItemResult[];
}

/** A replica, wherever it runs. Calls to one replica do not overlap. */
export interface ReplicaClient {
  /** Most tokens of one call. */
  readonly maxTokens: number;
  /** Tokens that calls are packed to; absent: `maxTokens`. */
  readonly packTokens?: number | undefined;
  setAdapter(version: number, flat: Float32Array | null): Promise<void>;
  /** Loss of the items and its gradient with respect to the adapter. */
  gradient(items: readonly TrainItem[], objective: ItemObjective): Promise<PartGradient>;
  score(items: readonly ScoredItem[]): Promise<ItemScores[]>;
  /** Hidden states at the trained tokens of the items, that each is predicted from; absent where there are none. */
  hidden?(items: readonly ScoredItem[]): Promise<HiddenStates[]>;
  /** Called with tokens of batches as they are computed; absent: nobody listens. */
  onTokens?: ((tokens: number) => void) | undefined;
  /** Bytes that the trainer holds on its device. */
  bytes(): Promise<number>;
  close(): Promise<void>;
}

const pack = (items: readonly ScoredItem[]): PackedBatch =>
  packShared(
    items.map(({ ids, mask, temperature, latents }) => ({
      ids,
      weights: mask,
      temperature,
      latents,
    })),
  );

/** Cuts what the rows of a batch got into items. */
function split(items: readonly { mask: Uint8Array }[], scores: RowScores): ItemScores[] {
  let at = 0;
  return items.map(({ mask }) => {
    const end = at + trainedCount(mask);
    const cut = {
      logprobs: scores.logprobs.slice(at, end),
      entropies: scores.entropies.slice(at, end),
    };
    at = end;
    return cut;
  });
}

/** A trainer and the loss beside it, so that only advantages go to a worker and gradients come back. */
export class TrainReplica implements ReplicaClient {
  onTokens: ReplicaClient['onTokens'];
  readonly #trainer: LoraTrainer;
  #version: number | null = null;

  constructor(
    trainer: LoraTrainer,
    readonly packTokens?: number,
  ) {
    this.#trainer = trainer;
    trainer.onTokens = (tokens) => this.onTokens?.(tokens);
  }

  get maxTokens(): number {
    return this.#trainer.maxTokens;
  }

  async setAdapter(version: number, flat: Float32Array | null): Promise<void> {
    if (this.#version === version) return;
    this.#version = null;
    await this.#trainer.setAdapter(flat);
    this.#version = version;
  }

  async gradient(items: readonly TrainItem[], objective: ItemObjective): Promise<PartGradient> {
    const losses: { loss: number; clipped: number; kl: number }[] = [];
    this.#trainer.zeroGradients();
    const scores = await this.#trainer.accumulate(pack(items), (rows) => {
      losses.length = 0;
      const coefficients = new Float32Array(rows.logprobs.length);
      let at = 0;
      for (const [i, { logprobs }] of split(items, rows).entries()) {
        const { oldLogprobs, behaviour, refLogprobs, advantage, weight, right } = itemAt(
          items,
          i,
          'items',
        );
        const result =
          objective === 'likelihood'
            ? negativeLogLikelihood(logprobs, weight)
            : tokenObjective(objective, {
                logprob: logprobs,
                oldLogprob: behaviour ?? oldLogprobs,
                refLogprob: refLogprobs,
                advantage,
                weight,
                right,
              });
        coefficients.set(result.coefficients, at);
        at += logprobs.length;
        losses.push({ loss: result.loss, clipped: result.clipped, kl: result.kl });
      }
      return coefficients;
    });
    const gradient = await this.#trainer.gradients();
    return {
      gradient,
      items: split(items, scores).map((s, i) => ({ ...s, ...itemAt(losses, i, 'losses') })),
    };
  }

  async score(items: readonly ScoredItem[]): Promise<ItemScores[]> {
    return split(items, await this.#trainer.score(pack(items)));
  }

  async hidden(items: readonly ScoredItem[]): Promise<HiddenStates[]> {
    const states = await this.#trainer.hidden?.(pack(items));
    if (!states)
      throw new Error('learner: this trainer gives no hidden states, which a critic needs');
    const { values, width } = states;
    let at = 0;
    return items.map(({ mask }) => {
      const end = at + trainedCount(mask) * width;
      const cut = { values: values.slice(at, end), width };
      at = end;
      return cut;
    });
  }

  bytes(): Promise<number> {
    return Promise.resolve(this.#trainer.bytes);
  }

  close(): Promise<void> {
    this.#trainer.dispose();
    return Promise.resolve();
  }
}
