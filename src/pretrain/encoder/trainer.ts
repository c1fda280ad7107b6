import { jit, numpy as np, tree, valueAndGrad } from '@jax-js/jax';
import { infoNce, type ContrastBatch } from './loss.ts';
import type { EncoderParams } from './model.ts';
import type { PaddedBatch } from '../../retrieval/encoder/tokens.ts';
import { parameterShapes, type EncoderConfig, type EncoderWeights } from './weights.ts';

/** One batch of texts. Passages are the positives in order of the queries, then hard negatives. */
export interface TrainingBatch {
  queries: PaddedBatch;
  passages: PaddedBatch;
  /** [queries, passages] row-major: 1 where a passage is not to be used as a negative. */
  ignore: Float32Array;
}

/** Everything that training needs to go on exactly where it stopped. */
export interface TrainerState {
  /** Steps done. */
  step: number;
  weights: EncoderWeights;
  /** First and second moments of Adam. */
  moments: [EncoderWeights, EncoderWeights];
}

const [BETA1, BETA2, EPSILON] = [0.9, 0.98, 1e-8];

/** Adam (Kingma and Ba, 2015) on InfoNCE, as one jitted function; batches have one shape. */
export class EncoderTrainer {
  readonly config: EncoderConfig;
  #step: number;
  #params: EncoderParams;
  #first: EncoderParams;
  #second: EncoderParams;
  readonly #update: ReturnType<typeof updateFunction>;

  constructor(config: EncoderConfig, state: TrainerState) {
    this.config = config;
    this.#step = state.step;
    this.#params = toTensors(config, state.weights);
    [this.#first, this.#second] = [
      toTensors(config, state.moments[0]),
      toTensors(config, state.moments[1]),
    ];
    this.#update = updateFunction(config);
  }

  get step(): number {
    return this.#step;
  }

  /** One step on one batch; the loss before the step, in nats. */
  async train(batch: TrainingBatch, learningRate: number): Promise<number> {
    this.#step += 1;
    const rates = np.array([
      learningRate / (1 - BETA1 ** this.#step),
      1 / (1 - BETA2 ** this.#step),
    ]);
    const [loss, params, first, second] = this.#update(
      this.#params,
      this.#first,
      this.#second,
      batchTensors(batch),
      rates,
    );
    [this.#params, this.#first, this.#second] = [params, first, second];
    return (await loss.data())[0] ?? NaN;
  }

  async state(): Promise<TrainerState> {
    return {
      step: this.#step,
      weights: await toWeights(this.#params),
      moments: [await toWeights(this.#first), await toWeights(this.#second)],
    };
  }
}

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

type Updated = [loss: np.Array, params: EncoderParams, first: EncoderParams, second: EncoderParams];

/** Takes over all of its arguments. `rates`: learning rate / (1 − β1ᵗ), 1 / (1 − β2ᵗ). */
const updateFunction = (config: EncoderConfig) => {
  const lossAndGradient = valueAndGrad((params: EncoderParams, batch: ContrastBatch) =>
    infoNce(params, config, batch),
  );
  return jit(
    (
      params: EncoderParams,
      first: EncoderParams,
      second: EncoderParams,
      batch: ContrastBatch,
      rates: np.Array,
    ): Updated => {
      const [value, gradients] = lossAndGradient(tree.ref(params), batch);
      const updated: Updated = [value, {}, {}, {}];
      for (const [name] of parameterShapes(config)) {
        const [p, m, v, g] = [params[name], first[name], second[name], gradients[name]];
        if (!p || !m || !v || !g) throw new Error(`no parameter ${name}`);
        const m2 = m.mul(BETA1).add(g.ref.mul(1 - BETA1));
        const v2 = v.mul(BETA2).add(g.ref.mul(g).mul(1 - BETA2));
        const scale = np.sqrt(v2.ref.mul(rates.ref.slice(1))).add(EPSILON);
        updated[1][name] = p.sub(m2.ref.mul(rates.ref.slice(0)).div(scale));
        updated[2][name] = m2;
        updated[3][name] = v2;
      }
      return updated;
    },
  );
};

const batchTensors = ({ queries, passages, ignore }: TrainingBatch): ContrastBatch => ({
  queryIds: np.array(queries.ids).reshape([queries.rows, queries.length]),
  queryMask: np.array(Float32Array.from(queries.mask)).reshape([queries.rows, queries.length]),
  passageIds: np.array(passages.ids).reshape([passages.rows, passages.length]),
  passageMask: np.array(Float32Array.from(passages.mask)).reshape([passages.rows, passages.length]),
  ignore: np.array(ignore).reshape([queries.rows, passages.rows]),
});

function toTensors(config: EncoderConfig, weights: EncoderWeights): EncoderParams {
  const params: EncoderParams = {};
  for (const [name, shape] of parameterShapes(config)) {
    params[name] = np.array(weights[name] ?? new Float32Array()).reshape(shape);
  }
  return params;
}

async function toWeights(params: EncoderParams): Promise<EncoderWeights> {
  const weights: EncoderWeights = {};
  for (const [name, tensor] of Object.entries(params)) {
    weights[name] = new Float32Array(await tensor.ref.data());
  }
  return weights;
}
