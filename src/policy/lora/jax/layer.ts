import { nn, numpy as np } from '@jax-js/jax';
import type { PolicyConfig } from '../../checkpoint/config.ts';
import type { LoraTarget } from '../spec.ts';

/** One decoder layer with adapters, written so that jax-js can differentiate it. */

/** Frozen values of a layer; matrices are [in, out]. */
export interface JaxLayer {
  readonly inputNorm: np.Array;
  readonly q_proj: np.Array;
  readonly k_proj: np.Array;
  readonly v_proj: np.Array;
  /** Absent in families without QK-norm. */
  readonly qNorm?: np.Array;
  readonly kNorm?: np.Array;
  readonly o_proj: np.Array;
  readonly postNorm: np.Array;
  readonly gate_proj: np.Array;
  readonly up_proj: np.Array;
  readonly down_proj: np.Array;
  /** Biases, [out], of the targets that have one. */
  readonly biases: Partial<Record<LoraTarget, np.Array>>;
}

/** Factors by target: A [rank, in], B [out, rank]. A target that is not adapted is absent. */
export type JaxFactors = Partial<Record<LoraTarget, { A: np.Array; B: np.Array }>>;

/** What depends on the shape of a batch alone. */
export interface JaxPositions {
  /** [1, tokens, 1, headDim]; the sine is negative in the first half. */
  readonly cos: np.Array;
  readonly sin: np.Array;
  /** [1, 1, group · tokens, tokens]: added to scores, 0 where a query may look. */
  readonly hide: np.Array;
}

export interface LayerShape {
  readonly config: PolicyConfig;
  readonly sequences: number;
  readonly tokens: number;
  /** alpha / rank. */
  readonly scale: number;
}

/** x / rms(x) over the last axis, times `weight`. Consumes both. */
export function rmsNorm(x: np.Array, weight: np.Array, size: number, eps: number): np.Array {
  const meanSquare = np
    .square(x.ref)
    .sum(-1, { keepdims: true })
    .mul(1 / size);
  return x.mul(np.reciprocal(np.sqrt(meanSquare.add(eps)))).mul(weight);
}

/**
 * x [sequences · tokens, hidden] to the same shape. Sequences start at position 0; padding stands at
 * their ends, where causal attention keeps it from what precedes it. Consumes its arguments.
 */
export function adaptedLayer(
  { config, sequences: n, tokens: t, scale }: LayerShape,
  x: np.Array,
  factors: JaxFactors,
  w: JaxLayer,
  at: JaxPositions,
): np.Array {
  const { heads, kvHeads, headDim, hiddenSize, rmsNormEps: eps } = config;
  const group = heads / kvHeads;

  /** `W h + b + scale · B (A h)` by rows: consumes h. */
  const project = (target: LoraTarget, h: np.Array): np.Array => {
    const bias = w.biases[target];
    const y = unbiased(target, h);
    return bias ? y.add(bias) : y;
  };

  const unbiased = (target: LoraTarget, h: np.Array): np.Array => {
    const adapter = factors[target];
    if (!adapter) return np.matmul(h, w[target]);
    const inner = np.matmul(h.ref, adapter.A.transpose());
    const change = np.matmul(inner, adapter.B.transpose()).mul(scale);
    return np.matmul(h, w[target]).add(change);
  };

  const headsOf = (flat: np.Array, count: number): np.Array => flat.reshape([n, t, count, headDim]);

  /** Normalised (where there is a norm) and turned by position: [n, t, count, headDim]. */
  const turned = (
    flat: np.Array,
    count: number,
    norm: np.Array | undefined,
    { cos, sin }: Pick<JaxPositions, 'cos' | 'sin'>,
  ): np.Array => {
    const split = headsOf(flat, count);
    const normed = norm ? rmsNorm(split, norm, headDim, eps) : split;
    const halves = normed.ref.reshape([n, t, count, 2, headDim / 2]);
    const swapped = np.flip(halves, 3).reshape([n, t, count, headDim]);
    return normed.mul(cos).add(swapped.mul(sin));
  };

  const h = rmsNorm(x.ref, w.inputNorm, hiddenSize, eps);
  const q = turned(project('q_proj', h.ref), heads, w.qNorm, { cos: at.cos.ref, sin: at.sin.ref })
    .mul(1 / Math.sqrt(headDim))
    .reshape([n, t, kvHeads, group, headDim])
    .transpose([0, 2, 3, 1, 4])
    .reshape([n, kvHeads, group * t, headDim]);
  const k = turned(project('k_proj', h.ref), kvHeads, w.kNorm, at).transpose([0, 2, 3, 1]);
  const v = headsOf(project('v_proj', h), kvHeads).transpose([0, 2, 1, 3]);
  const shares = nn.softmax(np.matmul(q, k).add(at.hide), -1);
  const attended = np
    .matmul(shares, v)
    .reshape([n, kvHeads, group, t, headDim])
    .transpose([0, 3, 1, 2, 4])
    .reshape([n * t, heads * headDim]);
  const x1 = project('o_proj', attended).add(x);
  const h1 = rmsNorm(x1.ref, w.postNorm, hiddenSize, eps);
  const gate = project('gate_proj', h1.ref);
  const active = gate.ref.mul(nn.sigmoid(gate)).mul(project('up_proj', h1));
  return project('down_proj', active).add(x1);
}
