/** How rotary frequencies are changed to reach contexts longer than those of pretraining. */
export type RopeScaling =
  | { readonly type: 'default' }
  /** Position interpolation (Chen et al., 2023): every frequency divided by `factor`. */
  | { readonly type: 'linear'; readonly factor: number }
  /** Llama 3.1: long wavelengths divided by `factor`, short ones kept, a ramp between. */
  | {
      readonly type: 'llama3';
      readonly factor: number;
      readonly lowFrequencyFactor: number;
      readonly highFrequencyFactor: number;
      readonly originalPositions: number;
    }
  /** YaRN (Peng et al., 2023): a ramp over dimensions; `attentionFactor` multiplies cos and sin. */
  | {
      readonly type: 'yarn';
      readonly factor: number;
      readonly attentionFactor: number;
      readonly betaFast: number;
      readonly betaSlow: number;
      readonly truncate: boolean;
      readonly originalPositions: number;
    };

/** Tables of rotary position embedding (Su et al., 2021), in the half-split layout of Hugging Face. */
export interface RopeTables {
  /** [positions, headDim / 2]: cosine and sine of `position · frequency`, as a rule `theta^(-2 i / headDim)`. */
  cos: Float32Array;
  sin: Float32Array;
}

/** `theta^(-2 i / headDim)` for i < headDim / 2. */
const plainFrequencies = (headDim: number, theta: number): Float64Array =>
  Float64Array.from({ length: headDim / 2 }, (_, i) => theta ** ((-2 * i) / headDim));

function llama3Frequency(plain: number, s: Extract<RopeScaling, { type: 'llama3' }>): number {
  const wavelength = (2 * Math.PI) / plain;
  if (wavelength > s.originalPositions / s.lowFrequencyFactor) return plain / s.factor;
  if (wavelength < s.originalPositions / s.highFrequencyFactor) return plain;
  const smooth =
    (s.originalPositions / wavelength - s.lowFrequencyFactor) /
    (s.highFrequencyFactor - s.lowFrequencyFactor);
  return ((1 - smooth) * plain) / s.factor + smooth * plain;
}

/** The dimensions between which YaRN goes from kept to interpolated frequencies (its equation 17). */
function yarnRange(
  headDim: number,
  theta: number,
  s: Extract<RopeScaling, { type: 'yarn' }>,
): [low: number, high: number] {
  const dimension = (rotations: number): number =>
    (headDim * Math.log(s.originalPositions / (rotations * 2 * Math.PI))) / (2 * Math.log(theta));
  let [low, high] = [dimension(s.betaFast), dimension(s.betaSlow)];
  if (s.truncate) [low, high] = [Math.floor(low), Math.ceil(high)];
  [low, high] = [Math.max(low, 0), Math.min(high, headDim - 1)];
  return low === high ? [low, high + 0.001] : [low, high];
}

/** Angle a position, by pair of dimensions: [headDim / 2]; as transformers computes them. */
export function ropeFrequencies(
  headDim: number,
  theta: number,
  scaling: RopeScaling,
): Float64Array {
  const plain = plainFrequencies(headDim, theta);
  switch (scaling.type) {
    case 'default':
      return plain;
    case 'linear':
      return plain.map((f) => f / scaling.factor);
    case 'llama3':
      return plain.map((f) => llama3Frequency(f, scaling));
    case 'yarn': {
      const [low, high] = yarnRange(headDim, theta, scaling);
      return plain.map((f, i) => {
        const interpolated = Math.min(1, Math.max(0, (i - low) / (high - low)));
        return (f / scaling.factor) * interpolated + f * (1 - interpolated);
      });
    }
  }
}

/**
 * Cosines and sines of positions [from, to). Angles are computed in double precision, as far
 * positions would lose digits otherwise.
 */
export function ropeTables(
  positions: number,
  headDim: number,
  theta: number,
  scaling: RopeScaling = { type: 'default' },
  from = 0,
): RopeTables {
  const half = headDim / 2;
  const rows = positions - from;
  const cos = new Float32Array(rows * half);
  const sin = new Float32Array(rows * half);
  const scaled = scaling.type === 'default' ? null : ropeFrequencies(headDim, theta, scaling);
  const amplitude = scaling.type === 'yarn' ? scaling.attentionFactor : 1;
  for (let p = 0; p < rows; p++)
    for (let i = 0; i < half; i++) {
      const position = from + p;
      // Division rather than a product: the numbers of unscaled policies stay what they were.
      const angle = scaled ? position * scaled[i]! : position / theta ** ((2 * i) / headDim);
      cos[p * half + i] = amplitude * Math.cos(angle);
      sin[p * half + i] = amplitude * Math.sin(angle);
    }
  return { cos, sin };
}
