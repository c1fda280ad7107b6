import type { PaddedBatch } from '../../retrieval/encoder/tokens.ts';
import { Encoder } from './model.ts';
import {
  parameterShapes,
  type EncoderConfig,
  type EncoderWeights,
} from '../../retrieval/encoder/built-in/weights.ts';

/** One batch of texts. Passages are the positives in order of the queries, then hard negatives. */
export interface TrainingBatch {
  queries: PaddedBatch;
  passages: PaddedBatch;
  /** [queries, passages] row-major: 1 where a passage is not to be used as a negative. */
  ignore: Float32Array;
}

/** Everything that training needs to continue exactly where it stopped. */
export interface TrainerState {
  /** Steps done. */
  step: number;
  weights: EncoderWeights;
  /** First and second moments of Adam. */
  moments: [EncoderWeights, EncoderWeights];
}

const [BETA1, BETA2, EPSILON] = [0.9, 0.98, 1e-8];

/** Temperature of the softmax over similarities. */
const TEMPERATURE = 0.05;
/** What is taken off a similarity that is not to count. */
const IGNORED = 1e4;

/** Vectors of one batch. Passages are the b positives in order of the queries, then hard negatives. */
interface ContrastBatch {
  /** [b, width] */
  readonly queries: Float32Array;
  /** [p, width], p ≥ b */
  readonly passages: Float32Array;
  readonly width: number;
  /** [b, p]: 1 where a passage is not a negative of a query though it is not its positive. */
  readonly ignore: Float32Array;
}

/** Loss in nats, and its gradients by the vectors. */
interface Contrast {
  readonly loss: number;
  readonly dQueries: Float32Array;
  readonly dPassages: Float32Array;
}

/**
 * InfoNCE (van den Oord et al., 2018) over in-batch and hard negatives: the mean of
 * −log softmax(cos(q, p) / τ) at each query's positive. The vectors are unit vectors.
 */
function infoNce({ queries, passages, width, ignore }: ContrastBatch): Contrast {
  const [b, p] = [queries.length / width, passages.length / width];
  const dQueries = new Float32Array(queries.length);
  const dPassages = new Float32Array(passages.length);
  let loss = 0;
  for (let i = 0; i < b; i++) {
    const logits = new Float64Array(p);
    for (let j = 0; j < p; j++) {
      let dot = 0;
      for (let k = 0; k < width; k++)
        dot += (queries[i * width + k] ?? 0) * (passages[j * width + k] ?? 0);
      logits[j] = dot / TEMPERATURE - IGNORED * (ignore[i * p + j] ?? 0);
    }
    const top = logits.reduce((a, c) => Math.max(a, c), -Infinity);
    const total = logits.reduce((sum, logit) => sum + Math.exp(logit - top), 0);
    loss += (top + Math.log(total) - (logits[i] ?? 0)) / b;
    for (let j = 0; j < p; j++) {
      const share = Math.exp((logits[j] ?? 0) - top) / total;
      const d = (share - (i === j ? 1 : 0)) / b / TEMPERATURE;
      for (let k = 0; k < width; k++) {
        const [q, s] = [i * width + k, j * width + k];
        dQueries[q] = (dQueries[q] ?? 0) + d * (passages[s] ?? 0);
        dPassages[s] = (dPassages[s] ?? 0) + d * (queries[q] ?? 0);
      }
    }
  }
  return { loss, dQueries, dPassages };
}

/** Adam (Kingma and Ba, 2015) on InfoNCE. */
export class EncoderTrainer {
  readonly config: EncoderConfig;
  readonly #encoder: Encoder;
  readonly #state: TrainerState;

  private constructor(config: EncoderConfig, encoder: Encoder, state: TrainerState) {
    this.config = config;
    this.#encoder = encoder;
    this.#state = state;
  }

  /** @throws MemoryError */
  static async create(config: EncoderConfig, from: TrainerState): Promise<EncoderTrainer> {
    const state = copyOf(from);
    return new EncoderTrainer(config, await Encoder.create(config, state.weights), state);
  }

  get step(): number {
    return this.#state.step;
  }

  /** Loss of a batch in nats, and its gradients by all parameters. */
  gradients(batch: TrainingBatch): { loss: number; gradients: EncoderWeights } {
    this.#encoder.update();
    const queries = this.#encoder.pass(batch.queries);
    const passages = this.#encoder.pass(batch.passages);
    const { loss, dQueries, dPassages } = infoNce({
      queries: queries.vectors,
      passages: passages.vectors,
      width: this.config.out,
      ignore: batch.ignore,
    });
    queries.backward(dQueries);
    passages.backward(dPassages);
    queries.dispose();
    passages.dispose();
    return { loss, gradients: this.#encoder.gradients() };
  }

  /** One step on one batch; the loss before the step, in nats. */
  train(batch: TrainingBatch, learningRate: number): number {
    const { loss, gradients } = this.gradients(batch);
    this.#state.step += 1;
    const { step, weights, moments } = this.#state;
    const rate = learningRate / (1 - BETA1 ** step);
    const correction = 1 / (1 - BETA2 ** step);
    for (const [name] of parameterShapes(this.config)) {
      const [p, m, v, g] = [weights[name], moments[0][name], moments[1][name], gradients[name]];
      if (!p || !m || !v || !g) throw new Error(`no parameter ${name}`);
      for (let i = 0; i < p.length; i++) {
        const d = g[i] ?? 0;
        const first = BETA1 * (m[i] ?? 0) + (1 - BETA1) * d;
        const second = BETA2 * (v[i] ?? 0) + (1 - BETA2) * d * d;
        [m[i], v[i]] = [first, second];
        // From what is stored, so that a run that continues from a checkpoint takes the same step.
        const [m32, v32] = [Math.fround(first), Math.fround(second)];
        p[i] = (p[i] ?? 0) - (rate * m32) / (Math.sqrt(v32 * correction) + EPSILON);
      }
    }
    return loss;
  }

  /** A copy. */
  state(): TrainerState {
    return copyOf(this.#state);
  }
}

const copyOf = ({ step, weights, moments }: TrainerState): TrainerState => {
  const copy = (group: EncoderWeights): EncoderWeights =>
    Object.fromEntries(Object.entries(group).map(([name, values]) => [name, values.slice()]));
  return { step, weights: copy(weights), moments: [copy(moments[0]), copy(moments[1])] };
};

/** State of a fresh training run. */
export const initialState = (weights: EncoderWeights): TrainerState => ({
  step: 0,
  weights,
  moments: [zerosLike(weights), zerosLike(weights)],
});

const zerosLike = (weights: EncoderWeights): EncoderWeights =>
  Object.fromEntries(
    Object.entries(weights).map(([name, values]) => [name, new Float32Array(values.length)]),
  );
