/** Shape of the built-in bi-encoder. */
export interface EncoderConfig {
  vocabSize: number;
  /** Width of the token vectors. */
  hidden: number;
  /** Width inside a convolution. */
  inner: number;
  layers: number;
  /** Dimensions of the vectors that come out. */
  out: number;
  /** Most tokens of one text; what is longer is cut. */
  maxTokens: number;
}

/** Parameters by name, row-major. */
export type EncoderWeights = Record<string, Float32Array>;

/** Names and shapes of all parameters; matrices are [in, out]. */
export function parameterShapes(config: EncoderConfig): [name: string, shape: number[]][] {
  const { vocabSize, hidden, inner, layers, out, maxTokens } = config;
  const shapes: [string, number[]][] = [
    ['tokens', [vocabSize, hidden]],
    ['positions', [maxTokens, hidden]],
  ];
  for (let layer = 0; layer < layers; layer++) {
    // A token beside its left and right neighbour.
    shapes.push([`conv${layer}.in`, [3 * hidden, inner]], [`conv${layer}.inBias`, [inner]]);
    shapes.push([`conv${layer}.out`, [inner, hidden]], [`conv${layer}.outBias`, [hidden]]);
  }
  shapes.push(['gate', [hidden, 1]], ['gateBias', [1]], ['projection', [hidden, out]]);
  return shapes;
}

/** Added to a sum of squares before the root, so that a vector of zeros stays finite. */
export const NORM_EPSILON = 1e-12;
