import { jit, numpy as np } from '@jax-js/jax';
import type { PolicyConfig } from '../config.ts';
import type { DeviceLayer } from './device-weights.ts';
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
export interface StepInputs {
  /** [slots, tokens, 1, headDim]; the sine is negative in the first half. */
  readonly cos: np.Array;
  readonly sin: np.Array;
  /** [slots, CHUNK]: 1 where the ring takes a new position. */
  readonly write: np.Array;
  /** [slots, capacity]: 1 for the main store's positions that are read. */
  readonly readMain: np.Array;
  /** [slots, tokens, CHUNK]: 1 for the ring's positions that each token reads. */
  readonly readRing: np.Array;
}

/** Scores below this are out of sight: exp of the difference to any real score is exactly 0. */
const HIDDEN_SCORE = -1e9;

/** 1 / rms of the last axis, kept as an axis of length 1: one reduction kernel. */
function inverseRms(x: np.Array, size: number, eps: number): np.Array {
  return np.reciprocal(
    np.sqrt(
      np
        .square(x)
        .sum(-1, { keepdims: true })
        .mul(1 / size)
        .add(eps),
    ),
  );
}

const silu = (x: np.Array): np.Array => x.ref.mul(np.reciprocal(np.exp(x.neg()).add(1)));

export type LayerFunction = (
  x: np.Array,
  cache: LayerCache,
  step: StepInputs,
  weights: DeviceLayer,
) => { x: np.Array; ringK: np.Array; ringV: np.Array };

/**
 * One Qwen3 decoder layer over `tokens` new positions a slot (1 or CHUNK): x [slots, tokens, hidden]
 * to the same shape, and the updated rings. Every slot's row is computed by the same sums in the
 * same order whatever the other slots hold.
 *
 * RMSNorm is a factor a row, so it is applied after the matrix product. Softmax runs over the main
 * store and the ring together: exp(s - m) of both, divided by the sum of both.
 */
export function decoderLayer(config: PolicyConfig, slots: number, tokens: number): LayerFunction {
  const { heads, kvHeads, headDim, hiddenSize, intermediateSize, rmsNormEps: eps } = config;
  const group = heads / kvHeads;
  const turned = heads + kvHeads;
  const queries = group * tokens;

  /** Turns normalised queries and keys by their positions: [slots, tokens, turned, headDim]. */
  const rotate = (qk: np.Array, step: StepInputs, w: DeviceLayer): np.Array => {
    const scale = inverseRms(qk.ref, headDim, eps);
    const halves = qk.ref.reshape([slots, tokens, turned, 2, headDim / 2]);
    const swapped = np.flip(halves, 3).reshape([slots, tokens, turned, headDim]);
    const plain = qk.mul(step.cos.mul(w.turnCos));
    return plain.add(swapped.mul(step.sin.mul(w.turnSin))).mul(scale);
  };

  /** [slots, tokens, heads, headDim] to [slots, kvHeads, group tokens, headDim]. */
  const groupQueries = (q: np.Array): np.Array =>
    q
      .reshape([slots, tokens, kvHeads, group, headDim])
      .transpose([0, 2, 3, 1, 4])
      .reshape([slots, kvHeads, queries, headDim]);

  const attend = (q: np.Array, c: LayerCache, step: StepInputs): np.Array => {
    const hideMain = step.readMain.sub(1).mul(-HIDDEN_SCORE).reshape([slots, 1, 1, -1]);
    const hideRing = np
      .broadcastTo(step.readRing.reshape([slots, 1, 1, tokens, CHUNK]), [
        slots,
        1,
        group,
        tokens,
        CHUNK,
      ])
      .reshape([slots, 1, queries, CHUNK])
      .sub(1)
      .mul(-HIDDEN_SCORE);
    const main = np.matmul(q.ref, c.mainK).add(hideMain);
    const ring = np.matmul(q, c.ringK).add(hideRing);
    const highest = np.maximum(
      main.ref.max(-1, { keepdims: true }),
      ring.ref.max(-1, { keepdims: true }),
    );
    const pMain = np.exp(main.sub(highest.ref));
    const pRing = np.exp(ring.sub(highest));
    const total = pRing.ref
      .sum(-1, { keepdims: true })
      .add(pMain.ref.sum(-1, { keepdims: true }));
    const old = np.matmul(pMain, c.mainV);
    return np.matmul(pRing, c.ringV).add(old).mul(np.reciprocal(total));
  };

  const ungroup = (attended: np.Array): np.Array =>
    attended
      .reshape([slots, kvHeads, group, tokens, headDim])
      .transpose([0, 3, 1, 2, 4])
      .reshape([slots * tokens, heads * headDim]);

  const layer: LayerFunction = (x3, cache, step, w) => {
    const x = x3.reshape([slots * tokens, hiddenSize]);
    const normed = inverseRms(x.ref, hiddenSize, eps);
    const qkv = np
      .matmul(x.ref, w.qkv)
      .mul(normed)
      .reshape([slots, tokens, turned + kvHeads, headDim]);
    const [qkRaw, v] = np.split(qkv, [turned], 2) as [np.Array, np.Array];
    const [q, k] = np.split(rotate(qkRaw, step, w), [heads], 2) as [np.Array, np.Array];
    const write = step.write.greater(0.5);
    const ringK = np.where(
      write.ref.reshape([slots, 1, 1, CHUNK]),
      k.transpose([0, 2, 3, 1]),
      cache.ringK,
    );
    const ringV = np.where(
      write.reshape([slots, 1, CHUNK, 1]),
      v.transpose([0, 2, 1, 3]),
      cache.ringV,
    );
    const rings = { ...cache, ringK: ringK.ref, ringV: ringV.ref };
    const attended = ungroup(attend(groupQueries(q), rings, step));
    const x1 = np.matmul(attended, w.o).add(x);
    const normed1 = inverseRms(x1.ref, hiddenSize, eps);
    const gateUp = np.matmul(x1.ref, w.gateUp).mul(normed1);
    const [gate, up] = np.split(gateUp, [intermediateSize], 1) as [np.Array, np.Array];
    const x2 = np.matmul(silu(gate).mul(up), w.down).add(x1);
    return { x: x2.reshape([slots, tokens, hiddenSize]), ringK, ringV };
  };
  return jit(layer) as LayerFunction;
}

export type HeadFunction = (x: np.Array, head: np.Array) => np.Array;

/** Final norm and output projection: x [slots, 1, hidden] to logits [slots, vocab]. */
export function outputHead(config: PolicyConfig, slots: number): HeadFunction {
  return jit((x3: np.Array, head: np.Array) => {
    const x = x3.reshape([slots, config.hiddenSize]);
    const normed = inverseRms(x.ref, config.hiddenSize, config.rmsNormEps);
    return np.matmul(x, head).mul(normed);
  }) as HeadFunction;
}
