import { deriveSeed, Random } from '../../base/random.ts';
import { gateSize } from '../lora/spec.ts';

/**
 * The gates of HRPO, hybrid latent reasoning (2505.18454; code: Yueeeeeeee/HRPO, `thinking_residual` in
 * transformers/models/qwen2/modeling_qwen2.py): while the policy thinks, its next input is the embedding e of the token
 * that it drew, mixed with what it expected in place of it,
 *
 *   h  = Σ_v p_v e_v / √Σ_v p_v²        over the distribution that the token was drawn from
 *   r  = σ(W_r e + b_r)                 i = σ(W_i e + b_i)
 *   a  = exp(−c · softplus(−Λ) ⊙ r)     c = 8
 *   e' = a ⊙ e + √(1 − a² + 1e-8) ⊙ (i ⊙ h)
 *
 * Where a is 1 exactly, e' is e: the released code leaves 10⁻⁴ i ⊙ h there, and "no gates" would not be GRPO.
 * Everything is computed in double precision from float32 values, so that sampler and trainer make the same bits.
 */

const SHARPNESS = 8;
const EPSILON = 1e-8;
/** r before any learning: the weights are small, and the biases 0. */
const FIRST_RESET = 0.5;
/** Standard deviation of fresh weights: `initializer_range` of Qwen2 and Llama, which made the released ones. */
const SPREAD = 0.02;

/** Weight beside the likeliest token's below which a token adds nothing that float32 holds, however many there are. */
const NOTHING = 2 ** -53;

/** What a starts between, the same for all. */
export interface GateRange {
  readonly rMin: number;
  readonly rMax: number;
}

/** Views of the flat values, in their order: W_r [d, d], b_r [d], W_i [d, d], b_i [d], Λ [d]. */
export interface Gates<T extends Float32Array | Float64Array = Float32Array> {
  readonly width: number;
  readonly resetWeight: T;
  readonly resetBias: T;
  readonly inputWeight: T;
  readonly inputBias: T;
  readonly lambda: T;
}

/** @throws RangeError for a wrong number of values */
export function viewGates<T extends Float32Array | Float64Array>(
  values: T,
  width: number,
): Gates<T> {
  if (values.length !== gateSize(width))
    throw new RangeError(
      `gates: ${values.length} values given, width ${width} has ${gateSize(width)}`,
    );
  let at = 0;
  const take = (length: number): T => values.subarray(at, (at += length)) as T;
  return {
    width,
    resetWeight: take(width * width),
    resetBias: take(width),
    inputWeight: take(width * width),
    inputBias: take(width),
    lambda: take(width),
  };
}

const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));
/** ln(1 + eˣ), as x itself above torch's threshold. */
const softplus = (x: number): number => (x > 20 ? x : Math.log1p(Math.exp(x)));

/** The Λ with which a gate is `a` at this r; infinite for 1. */
export const lambdaFor = (a: number, r: number): number =>
  -Math.log(Math.expm1(-Math.log(a) / (SHARPNESS * r)));

/**
 * Fresh gates: small weights, no biases, and a uniform in [rMin, rMax] for r = ½, where r starts. (The released code
 * takes r = 1 there, so that its a starts at the square root of that.)
 */
export function initGates(width: number, { rMin, rMax }: GateRange, seed: number): Float32Array {
  const values = new Float32Array(gateSize(width));
  const { resetWeight, inputWeight, lambda } = viewGates(values, width);
  new Random(deriveSeed(seed, 'reset')).fillNormal(resetWeight, SPREAD);
  new Random(deriveSeed(seed, 'input')).fillNormal(inputWeight, SPREAD);
  const random = new Random(deriveSeed(seed, 'lambda'));
  for (let j = 0; j < width; j++)
    lambda[j] = lambdaFor(rMin + (rMax - rMin) * random.uniform(), FIRST_RESET);
  return values;
}

type Row = Float32Array | Float64Array;

/** W e + b of one output. */
function affine(weight: Row, bias: Row, e: Row, output: number): number {
  let sum = bias[output] ?? 0;
  const from = output * e.length;
  for (let k = 0; k < e.length; k++) sum += (weight[from + k] ?? 0) * (e[k] ?? 0);
  return sum;
}

/** r, i, a and the factor of i ⊙ h at one place of the row. */
function gateAt(gates: Gates<Float32Array | Float64Array>, e: Row, j: number) {
  const r = sigmoid(affine(gates.resetWeight, gates.resetBias, e, j));
  const i = sigmoid(affine(gates.inputWeight, gates.inputBias, e, j));
  const spread = softplus(-(gates.lambda[j] ?? 0));
  const a = Math.exp(-SHARPNESS * spread * r);
  return { r, i, a, spread, mix: a < 1 ? Math.sqrt(1 - a * a + EPSILON) : 0 };
}

/**
 * Writes e' into `out`. e, h, out: [d].
 * @returns mean a
 */
export function mixInput(
  gates: Gates<Float32Array | Float64Array>,
  e: Row,
  h: Row,
  out: Row,
): number {
  let sum = 0;
  for (let j = 0; j < gates.width; j++) {
    const { i, a, mix } = gateAt(gates, e, j);
    out[j] = mix === 0 ? (e[j] ?? 0) : a * (e[j] ?? 0) + mix * i * (h[j] ?? 0);
    sum += a;
  }
  return sum / gates.width;
}

/**
 * Adds the gradient of one row's loss by the gates. e is frozen, and h is replayed as it was: as in the released code,
 * where it was made without gradients (`generate`), nothing flows through the distribution that made it.
 * @param dInput ∂loss/∂e' [d]
 * @param gradient of `gateSize` values, in their order
 */
export function mixInputBackward(
  gates: Gates<Float32Array | Float64Array>,
  e: Row,
  h: Row,
  dInput: Row,
  gradient: Gates<Float64Array>,
): void {
  const { width } = gates;
  for (let j = 0; j < width; j++) {
    const { r, i, a, spread, mix } = gateAt(gates, e, j);
    if (mix === 0) continue;
    const [g, own, latent] = [dInput[j] ?? 0, e[j] ?? 0, h[j] ?? 0];
    const dA = g * (own - (a / mix) * i * latent);
    const dReset = dA * -SHARPNESS * spread * a * r * (1 - r);
    const dInputGate = g * mix * latent * i * (1 - i);
    add(gradient.lambda, j, dA * SHARPNESS * r * a * sigmoid(-(gates.lambda[j] ?? 0)));
    add(gradient.resetBias, j, dReset);
    add(gradient.inputBias, j, dInputGate);
    const from = j * width;
    for (let k = 0; k < width; k++) {
      add(gradient.resetWeight, from + k, dReset * (e[k] ?? 0));
      add(gradient.inputWeight, from + k, dInputGate * (e[k] ?? 0));
    }
  }
}

function add(to: Float64Array, at: number, value: number): void {
  to[at] = (to[at] ?? 0) + value;
}

/**
 * h of one row: the expectation of the embeddings under softmax(logits / temperature), over the Euclidean norm of the
 * probabilities.
 * @param logits [vocabulary], at temperature 1
 * @param temperature 0 (greedy) is taken as 1: the released code leaves the distribution as it is there
 * @param table [vocabulary, width]
 */
export function expectedInput(
  logits: ArrayLike<number>,
  temperature: number,
  table: Row,
  width: number,
): Float32Array {
  const by = temperature > 0 ? temperature : 1;
  let most = -Infinity;
  for (let v = 0; v < logits.length; v++) most = Math.max(most, logits[v] ?? 0);
  const sums = new Float64Array(width);
  let squares = 0;
  for (let v = 0; v < logits.length; v++) {
    // Not over their sum: it is in both the expectation and the norm.
    const weight = Math.exp(((logits[v] ?? 0) - most) / by);
    if (weight < NOTHING) continue;
    squares += weight * weight;
    const from = v * width;
    for (let j = 0; j < width; j++) sums[j] = (sums[j] ?? 0) + weight * (table[from + j] ?? 0);
  }
  const norm = Math.sqrt(squares);
  return Float32Array.from(sums, (sum) => sum / norm);
}
