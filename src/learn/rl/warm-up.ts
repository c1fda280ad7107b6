import type { Rollout } from '../../records/rollout.ts';
import type { ColdStartPoint, HeldOutScore } from '../../records/training.ts';
import { sum } from '../../base/statistics.ts';
import { ADAPTER_MOMENTS, adamW, clipScale, globalNorm } from '../../policy/lora/optimizer.ts';
import type { PolicyLearner } from '../replicas/learner.ts';
import type { TrainItem } from '../replicas/replica.ts';
import type { TrainSettings, WarmUpSettings } from '../../recipes/parts/training.ts';
import type { Demonstrations } from './contracts.ts';
import type { TrainState } from './state.ts';
import { evaluates, warmUpData, warmUpLength, weighed, type WarmUpData } from './warm-up-data.ts';

/**
 * Cold start: supervised fine-tuning of an adapter on demonstrations before reinforcement learning (R1-Searcher,
 * 2503.05592; the format warm-up of KunLunBaizeRAG, 2506.19466, section 2.3). The loss is the mean negative
 * log-likelihood of the policy's own tokens; what the environment wrote is context. Of gold and noisy demonstrations every
 * update takes as many of each, equation (14), however many there are.
 */

export interface WarmUp {
  settings: TrainSettings & { warmUp: WarmUpSettings };
  learner: PolicyLearner;
  /** Given ones are of one class; the run's own of two. */
  demonstrations: readonly Rollout[] | Demonstrations;
  state: TrainState;
  /**
   * `falling`: to 0 in a line, as supervised fine-tuning does in TRL: the last updates settle what the first ones
   * found. `constant`: for updates that end when a habit is gone, wherever that is.
   */
  rate: 'falling' | 'constant';
  /** Unix time in milliseconds. */
  now: () => number;
  /** Answers held-out questions with this adapter; absent: none are asked. */
  answer?: (adapter: Float32Array) => Promise<HeldOutScore>;
  /** @param total updates, at most */
  onUpdate: (done: number, total: number) => void;
  onNotice: (line: string) => void;
  /** Called after each update and each evaluation. @param evaluated the evaluation that has just been made */
  onState?: (state: TrainState, evaluated: ColdStartPoint | null) => Promise<void>;
  /** Asked between updates. */
  shouldStop: () => boolean;
}

/** What to do where the run's own right rollouts are of one class alone, (14) being of two; null where they are of both. */
function oneClass(demonstrations: WarmUp['demonstrations']): string | null {
  if (!('gold' in demonstrations)) return null;
  const { gold, noisy } = demonstrations;
  if (gold.length > 0 && noisy.length > 0) return null;
  const [missing, there] =
    noisy.length === 0 ? ['noise in its results', 'clean ones'] : ['clean results', 'noisy ones'];
  return (
    `Cold start: no rollout with ${missing} was correct, so it uses only ${there} instead of both 1 : 1. ` +
    'To have both, sample more rollouts (warmUp.own.rollouts) or start from a model that answers more of them, in a new run.'
  );
}

const contextTokens = (items: readonly TrainItem[]): number =>
  sum(items.map(({ ids }) => ids.length));

/** The means of a score, without its single answers. */
const meansOf = ({ n, em, f1, recall, searches, formatValid }: HeldOutScore) => ({
  n,
  em,
  f1,
  recall,
  searches,
  formatValid,
});

/** Supervised updates of an adapter, with evaluations between them. */
class ColdStart {
  readonly #parts: WarmUp;
  readonly #data: WarmUpData;
  readonly #updates: number;
  readonly #every: number;
  #state: TrainState;
  /** Of the updates of this session. */
  readonly #losses: number[] = [];
  /** Tokens and milliseconds of the updates since the last evaluation, of this session. */
  #since = { tokens: 0, ms: 0 };

  constructor(parts: WarmUp) {
    const { settings, learner, demonstrations, state } = parts;
    const { warmUp, seed } = settings;
    this.#parts = parts;
    this.#data = warmUpData(demonstrations, warmUp, { seed, maxTokens: learner.maxTokens });
    const { updates, every } = warmUpLength(warmUp, this.#data.count);
    this.#updates = updates;
    this.#every = every;
    this.#state = state;
  }

  async run(): Promise<TrainState> {
    const { demonstrations, onNotice, onUpdate, shouldStop } = this.#parts;
    const lacking = oneClass(demonstrations);
    if (lacking !== null) onNotice(lacking);
    onUpdate(this.#done, this.#updates);
    for (;;) {
      if (this.#isDue) {
        await this.#evaluate();
        onUpdate(this.#done, this.#updates);
      }
      if (this.#isReached || this.#done >= this.#updates || shouldStop()) break;
      await this.#update();
      onUpdate(this.#done, this.#updates);
      await this.#parts.onState?.(this.#state, null);
      // The progress may say that a snapshot is stored.
      onUpdate(this.#done, this.#updates);
    }
    this.#sayLosses();
    const over = this.#isReached || this.#done >= this.#updates;
    return over ? this.#ended() : this.#state;
  }

  get #done(): number {
    return this.#state.warmedUp;
  }

  get #isReached(): boolean {
    return this.#state.coldStart?.points.at(-1)?.reached === true;
  }

  /** Whether an evaluation is due after the updates so far, and not yet made. */
  get #isDue(): boolean {
    if (!evaluates(this.#parts.settings.warmUp)) return false;
    if (this.#state.coldStart?.points.at(-1)?.update === this.#done) return false;
    return this.#done % this.#every === 0 || this.#done >= this.#updates;
  }

  async #update(): Promise<void> {
    const { settings, learner, now, rate } = this.#parts;
    const { batch, learningRate } = settings.warmUp;
    const { weightDecay, clipNorm } = settings.optimizer;
    const done = this.#done;
    const start = now();
    const drawn = Array.from({ length: batch }, (_, i) => this.#data.draw(done * batch + i));
    const values = this.#state.adapter.slice();
    const first = this.#state.first.slice();
    const second = this.#state.second.slice();
    learner.setAdapter(this.#state.adapter);
    const { gradient, items } = await learner.gradient(weighed(drawn), 'likelihood');
    const norm = globalNorm(gradient);
    if (!Number.isFinite(norm)) throw new Error('cold start: the gradient is not finite');
    adamW(
      { values, gradient, first, second },
      {
        ...ADAPTER_MOMENTS,
        lr: rate === 'constant' ? learningRate : learningRate * (1 - done / this.#updates),
        step: done + 1,
        gradientScale: clipScale(norm, clipNorm),
      },
      weightDecay,
    );
    const loss = sum(items.map((item) => item.loss));
    this.#losses.push(loss);
    this.#since.tokens += contextTokens(drawn);
    this.#since.ms += now() - start;
    const { points = [], lossSum = 0, lossUpdates = 0 } = this.#state.coldStart ?? {};
    this.#state = {
      ...this.#state,
      adapter: values,
      first,
      second,
      warmedUp: done + 1,
      coldStart: { points, lossSum: lossSum + loss, lossUpdates: lossUpdates + 1 },
    };
  }

  async #evaluate(): Promise<void> {
    const { settings, answer, now, onState } = this.#parts;
    const { stopAt = null, batch } = settings.warmUp;
    const { points = [], lossSum = 0, lossUpdates = 0 } = this.#state.coldStart ?? {};
    const start = now();
    const heldOutLoss = await this.#heldOutLoss();
    const score = (await answer?.(this.#state.adapter)) ?? null;
    // The policy as it is may keep to the format already; that is no reason to learn nothing.
    const reached =
      stopAt !== null && this.#done > 0 && score !== null && score.formatValid >= stopAt;
    const end = now();
    const point: ColdStartPoint = {
      format: 'forage.cold-start/1',
      update: this.#done,
      updates: this.#updates,
      epoch: (this.#done * batch) / this.#data.count,
      at: new Date(end).toISOString(),
      loss: lossUpdates === 0 ? null : lossSum / lossUpdates,
      heldOutLoss,
      answers: score && meansOf(score),
      tokens: this.#since.tokens,
      seconds: this.#since.ms / 1000,
      evaluationSeconds: (end - start) / 1000,
      ...(reached && { reached }),
    };
    this.#since = { tokens: 0, ms: 0 };
    const coldStart = { points: [...points, point], lossSum: 0, lossUpdates: 0 };
    this.#state = { ...this.#state, coldStart };
    await onState?.(this.#state, point);
  }

  /** Mean negative log-likelihood of the trained tokens of the held-out demonstrations, nats. */
  async #heldOutLoss(): Promise<number | null> {
    const { learner } = this.#parts;
    const { heldOut } = this.#data;
    if (heldOut.length === 0) return null;
    learner.setAdapter(this.#state.adapter);
    const scores = await learner.score(heldOut, false);
    const all = scores.flatMap(({ logprobs }) => [...logprobs]);
    return -sum(all) / all.length;
  }

  #sayLosses(): void {
    const [first, last] = [this.#losses[0], this.#losses.at(-1)];
    if (first === undefined || last === undefined) return;
    const why = this.#isReached ? ', ended by the format rate' : '';
    this.#parts.onNotice(
      `Cold start: ${this.#done} of ${this.#updates} updates on ${this.#data.counted}${why}, loss ` +
        `${first.toFixed(3)} → ${last.toFixed(3)} nats per token.`,
    );
  }

  /** Reinforcement learning begins with another loss: AdamW's moments restart. */
  #ended(): TrainState {
    const { first, second, coldStart } = this.#state;
    const { points = [] } = coldStart ?? {};
    return {
      ...this.#state,
      first: new Float32Array(first.length),
      second: new Float32Array(second.length),
      coldStart: { points, lossSum: 0, lossUpdates: 0, over: true },
    };
  }
}

/**
 * Makes what is left of a cold start, or less of it where `shouldStop` says so. The order of the demonstrations follows
 * from the run's seed, and all that later updates depend on is in the state: resumed on WASM, it gives the same bits.
 * @throws Error where nothing can be learned from, or a gradient is not finite
 */
export const warmUpAdapter = (warmUp: WarmUp): Promise<TrainState> => new ColdStart(warmUp).run();
