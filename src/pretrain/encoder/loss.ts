/** Temperature of the softmax over similarities. */
const TEMPERATURE = 0.05;
/** What is taken off a similarity that is not to count. */
const IGNORED = 1e4;

/** Vectors of one batch. Passages are the b positives in order of the queries, then hard negatives. */
export interface ContrastBatch {
  /** [b, width] */
  readonly queries: Float32Array;
  /** [p, width], p ≥ b */
  readonly passages: Float32Array;
  readonly width: number;
  /** [b, p]: 1 where a passage is not a negative of a query though it is not its positive. */
  readonly ignore: Float32Array;
}

/** Loss in nats, and its gradients by the vectors. */
export interface Contrast {
  readonly loss: number;
  readonly dQueries: Float32Array;
  readonly dPassages: Float32Array;
}

/**
 * InfoNCE (van den Oord et al., 2018) over in-batch and hard negatives: the mean of
 * −log softmax(cos(q, p) / τ) at each query's positive. The vectors are unit vectors.
 */
export function infoNce({ queries, passages, width, ignore }: ContrastBatch): Contrast {
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
