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

export const ENCODER_CONFIG: Omit<EncoderConfig, 'vocabSize'> = {
  hidden: 128,
  inner: 128,
  layers: 2,
  out: 96,
  maxTokens: 128,
};

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

/** Normal initialisation, 1/√in for matrices; biases and positions begin at (nearly) zero. */
export function initialWeights(config: EncoderConfig, normal: () => number): EncoderWeights {
  const weights: EncoderWeights = {};
  for (const [name, shape] of parameterShapes(config)) {
    const scale = initialScale(name, shape);
    const size = shape.reduce((product, n) => product * n, 1);
    weights[name] = Float32Array.from({ length: size }, () => scale * normal());
  }
  return weights;
}

function initialScale(name: string, shape: readonly number[]): number {
  if (name.endsWith('Bias')) return 0;
  if (name === 'tokens') return 1;
  if (name === 'positions') return 0.02;
  const fanIn = shape[0] ?? 1;
  // A small second matrix makes a layer begin close to the identity.
  return (name.endsWith('.out') ? 0.3 : 1) / Math.sqrt(fanIn);
}

/** Added to a sum of squares before the root, so that a vector of zeros stays finite. */
export const NORM_EPSILON = 1e-12;
