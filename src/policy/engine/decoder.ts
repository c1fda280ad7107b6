import { jit, numpy as np } from '@jax-js/jax';
import { variantOf, type PolicyConfig } from '../checkpoint/config.ts';
import type { DeviceHead, DeviceLayer } from './device-weights.ts';
import { CHUNK } from './shapes.ts';

/**
 * Keys and values of one layer for all slots of a cache. The main store holds old positions at
 * their own index; the ring holds the newest CHUNK at `position % CHUNK`. Arrays cannot be changed
 * in place, so a decode step rewrites only the ring, and the ring is flushed now and then.
 */
export interface LayerCache {
  /** [slots, kvHeads, headDim, capacity] */
  readonly mainK: np.Array;
  /** [slots, kvHeads, capacity, headDim] */
  readonly mainV: np.Array;
  /** [slots, kvHeads, headDim, CHUNK] */
  readonly ringK: np.Array;
  /** [slots, kvHeads, CHUNK, headDim] */
  readonly ringV: np.Array;
}

/** What a step needs beside the hidden states; uploaded once and read by every layer. */
interface StepInputs {
  /** [slots, tokens, 1, headDim]; the sine is negative in the first half. */
  readonly cos: np.Array;
  readonly sin: np.Array;
  /** [slots, CHUNK]: 1 where the ring takes a new position, else 0. */
  readonly write: np.Array;
  /** [slots, 1, 1, capacity]: added to scores; 0 for positions of the main store that are read. */
  readonly hideMain: np.Array;
  /**
   * [slots, 1, 1 or group tokens, CHUNK]: added to scores; 0 for positions of the ring that a query
   * reads. One row serves all where a step has one token.
   */
  readonly hideRing: np.Array;
}

/** Added to a score, makes its exponential exactly 0 beside any real one. */
export const HIDDEN = -1e9;

/**
 * Scores are at most this far from 0 in models whose softmax needs no maximum taken off: e^40 and
 * its inverse are far inside the range of float32, so that nothing overflows or vanishes.
 */
const PLAIN_SOFTMAX_BOUND = 40;

/**
 * Largest absolute score a layer can give. Queries and keys are RMS-normalised and then weighted, so
 * that none is longer than sqrt(headDim) times the largest weight; rotation keeps lengths, but for a
 * factor that some scalings have. Without QK-norm there is no bound.
 */
export function scoreBound(
  layer: { qNorm: Float32Array | null; kNorm: Float32Array | null },
  amplitude = 1,
): number {
  if (!layer.qNorm || !layer.kNorm) return Infinity;
  const largest = (values: Float32Array): number =>
    values.reduce((max, value) => Math.max(max, Math.abs(value)), 0);
  return (
    amplitude ** 2 * Math.sqrt(layer.qNorm.length) * largest(layer.qNorm) * largest(layer.kNorm)
  );
}

/** 1 / rms over the last axis, of the shape of the other axes: one reduction kernel. */
function inverseRms(x: np.Array, size: number, eps: number): np.Array {
  const meanSquare = np
    .square(x)
    .sum(-1)
    .mul(1 / size);
  return np.reciprocal(np.sqrt(meanSquare.add(eps)));
}

/** A row times the weight of a norm that is not in the matrix which follows. */
const weighed = (x: np.Array, norm: np.Array | undefined): np.Array => (norm ? x.mul(norm) : x);

const silu = (x: np.Array): np.Array => x.ref.mul(np.reciprocal(np.exp(x.neg()).add(1)));

/** Positions [from, to) of an axis as a view. jax-js makes no copy where each view has one reader. */
function part(x: np.Array, axis: number, from: number, to: number): np.Array {
  return x.slice(
    ...x.shape.map((size, i): [number, number] => (i === axis ? [from, to] : [0, size])),
  );
}

export interface LayerShape {
  readonly config: PolicyConfig;
  readonly slots: number;
  /** New positions a slot: 1 or CHUNK. */
  readonly tokens: number;
  /** What `scoreBound` says of the layer. */
  readonly scoreBound: number;
  /** Only keys and values are wanted, as of the last layer over given text; x is handed back. */
  readonly cacheOnly: boolean;
}

export type LayerFunction = (
  x: np.Array,
  cache: LayerCache,
  step: StepInputs,
  weights: DeviceLayer,
) => { x: np.Array; ringK: np.Array; ringV: np.Array };

/** exp(score - maximum), or exp(score) where scores are known to be small. */
function exponentials(main: np.Array, ring: np.Array, bound: number): [np.Array, np.Array] {
  if (bound <= PLAIN_SOFTMAX_BOUND) return [np.exp(main), np.exp(ring)];
  const highest = np.maximum(
    main.ref.max(-1, { keepdims: true }),
    ring.ref.max(-1, { keepdims: true }),
  );
  return [np.exp(main.sub(highest.ref)), np.exp(ring.sub(highest))];
}

/**
 * q [slots, kvHeads, queries, headDim], already divided by sqrt(headDim), over main store and ring,
 * to the same shape. `bound` is the largest absolute score there can be.
 */
export function attend(q: np.Array, c: LayerCache, step: StepInputs, bound: number): np.Array {
  const [slots, kvHeads, queries] = q.shape as [number, number, number, number];
  const [pMain, pRing] = exponentials(
    np.matmul(q.ref, c.mainK).add(step.hideMain),
    np.matmul(q, c.ringK).add(step.hideRing),
    bound,
  );
  const share = np.reciprocal(pMain.ref.sum(-1).add(pRing.ref.sum(-1)));
  const old = np.matmul(pMain, c.mainV);
  return np
    .matmul(pRing, c.ringV)
    .add(old)
    .mul(share.reshape([slots, kvHeads, queries, 1]));
}

/**
 * One decoder layer over `tokens` new positions a slot: x [slots tokens, hidden] to the same
 * shape, and the updated rings. Every slot's row is computed by the same sums in the same order
 * whatever the other slots hold.
 *
 * Written for few kernels, since each costs tens of microseconds in a browser whatever its size:
 * RMSNorm is a factor a row, applied to the matrix product; softmax is exp(s) of main store and ring
 * over the sum of both, applied to the product with the values; slices are taken anew for every
 * reader, as a shared slice would be copied.
 */
export function decoderLayer(shape: LayerShape): LayerFunction {
  const { slots, tokens } = shape;
  const { heads, kvHeads, headDim, intermediateSize, hiddenSize, rmsNormEps: eps } = shape.config;
  const [group, turned, rows] = [heads / kvHeads, heads + kvHeads, slots * tokens];
  const { qkNorm } = variantOf(shape.config);
  const biased = (y: np.Array, bias: np.Array | undefined): np.Array => (bias ? y.add(bias) : y);

  /** Heads [from, to) of qkv [rows, …]: [slots, tokens, to - from, headDim]. */
  const headsOf = (qkv: np.Array, from: number, to: number): np.Array =>
    part(qkv, 1, from * headDim, to * headDim).reshape([slots, tokens, to - from, headDim]);

  /** Turns (normalised) queries and keys by their positions: [slots, tokens, turned, headDim]. */
  const rotate = (qkv: np.Array, step: StepInputs, w: DeviceLayer): np.Array => {
    const scale = qkNorm ? inverseRms(headsOf(qkv.ref, 0, turned), headDim, eps) : null;
    const halves = headsOf(qkv.ref, 0, turned).reshape([slots, tokens, turned, 2, headDim / 2]);
    const swapped = np.flip(halves, 3).reshape([slots, tokens, turned, headDim]);
    const plain = headsOf(qkv, 0, turned).mul(step.cos.mul(w.turnCos));
    const turnedBy = plain.add(swapped.mul(step.sin.mul(w.turnSin)));
    return scale ? turnedBy.mul(scale.reshape([slots, tokens, turned, 1])) : turnedBy;
  };

  /** [slots, tokens, heads, headDim] to [slots, kvHeads, group tokens, headDim]. */
  const groupQueries = (q: np.Array): np.Array =>
    q
      .reshape([slots, tokens, kvHeads, group, headDim])
      .transpose([0, 2, 3, 1, 4])
      .reshape([slots, kvHeads, group * tokens, headDim]);

  const ungroup = (attended: np.Array): np.Array =>
    attended
      .reshape([slots, kvHeads, group, tokens, headDim])
      .transpose([0, 3, 1, 2, 4])
      .reshape([rows, heads * headDim]);

  const layer: LayerFunction = (x, cache, step, w) => {
    const norm = inverseRms(x.ref, hiddenSize, eps).reshape([rows, 1]);
    const qkv = biased(np.matmul(weighed(x.ref, w.inputNorm), w.qkv).mul(norm), w.qkvBias);
    const v = headsOf(qkv.ref, turned, turned + kvHeads).transpose([0, 2, 1, 3]);
    const qk = rotate(qkv, step, w);
    const k = part(qk.ref, 2, heads, turned).transpose([0, 2, 3, 1]);
    const writeK = step.write.ref.greater(0.5).reshape([slots, 1, 1, CHUNK]);
    const writeV = step.write.greater(0.5).reshape([slots, 1, CHUNK, 1]);
    const ringK = np.where(writeK, k, cache.ringK);
    const ringV = np.where(writeV, v, cache.ringV);
    if (shape.cacheOnly) return { x, ringK, ringV };
    const rings = { ...cache, ringK: ringK.ref, ringV: ringV.ref };
    const q = groupQueries(part(qk, 2, 0, heads));
    const attended = attend(q, rings, step, shape.scoreBound);
    const x1 = biased(np.matmul(ungroup(attended), w.o), w.oBias).add(x);
    const norm1 = inverseRms(x1.ref, hiddenSize, eps).reshape([rows, 1]);
    const gateUp = biased(
      np.matmul(weighed(x1.ref, w.postNorm), w.gateUp).mul(norm1),
      w.gateUpBias,
    );
    const gate = silu(part(gateUp.ref, 1, 0, intermediateSize));
    const up = part(gateUp, 1, intermediateSize, 2 * intermediateSize);
    return { x: biased(np.matmul(gate.mul(up), w.down), w.downBias).add(x1), ringK, ringV };
  };
  return jit(layer);
}

export type HeadFunction = (x: np.Array, head: DeviceHead) => np.Array;

/** Final norm and output projection: x [slots, hidden] to logits [slots, vocab]. */
export function outputHead(config: PolicyConfig): HeadFunction {
  const head: HeadFunction = (x, { matrix, norm: weight }) => {
    const norm = inverseRms(x.ref, config.hiddenSize, config.rmsNormEps);
    return np.matmul(weighed(x, weight), matrix).mul(norm.reshape([-1, 1]));
  };
  return jit(head as never) as unknown as HeadFunction;
}
