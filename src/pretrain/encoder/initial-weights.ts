import {
  parameterShapes,
  type EncoderConfig,
  type EncoderWeights,
} from '../../retrieval/encoder/built-in/weights.ts';

export const ENCODER_CONFIG: Omit<EncoderConfig, 'vocabSize'> = {
  hidden: 128,
  inner: 128,
  layers: 2,
  out: 96,
  maxTokens: 128,
};

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
