import type { VectorTable } from '../../src/retrieval/dense/dense.ts';
import { randomNumbers } from '../../src/base/random.ts';

/** Documents of a topic on average. */
const TOPIC_SIZE = 500;
/**
 * Length of the noise around a topic's centre (mean and deviation over vectors): cosines with the
 * centre are then 0.91 ± 0.03, as KunLunBaizeRAG reports of its clusters.
 */
const NOISE = 0.4556;
const NOISE_DEVIATION = 0.08;

/**
 * Unit vectors around random topic centres, with noise in every direction, topics of uneven size;
 * queries are further draws from the same mixture.
 */
export function clusteredVectors(
  n: number,
  dimensions: number,
  queries: number,
  seed: number,
): { vectors: VectorTable; queries: Float32Array[] } {
  const random = randomNumbers(seed);
  const normal = normals(random);
  const topics = Math.max(2, Math.round(n / TOPIC_SIZE));
  const centres = Array.from({ length: topics }, () => unit(draw(dimensions, normal)));
  const pick = topicPicker(topics, random);
  const sample = (): Float32Array => {
    const centre = centres[pick()]!;
    const noise = unit(draw(dimensions, normal));
    const length = NOISE + NOISE_DEVIATION * normal();
    return unit(noise.map((x, i) => centre[i]! + length * x));
  };
  const values = new Float32Array(n * dimensions);
  for (let row = 0; row < n; row++) values.set(sample(), row * dimensions);
  return {
    vectors: { dimensions, values },
    queries: Array.from({ length: queries }, sample),
  };
}

/** Topics with chances between one and four times the least. */
function topicPicker(topics: number, random: () => number): () => number {
  const ends = new Float64Array(topics);
  let sum = 0;
  for (let i = 0; i < topics; i++) ends[i] = sum += 1 + 3 * random();
  return () => {
    const at = random() * sum;
    let low = 0;
    let high = topics - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (ends[middle]! > at) high = middle;
      else low = middle + 1;
    }
    return low;
  };
}

const draw = (dimensions: number, normal: () => number): Float32Array =>
  Float32Array.from({ length: dimensions }, normal);

function unit(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, x) => sum + x * x, 0));
  return vector.map((x) => x / length);
}

/** Standard normal numbers (Box and Muller). */
function normals(random: () => number): () => number {
  let spare: number | null = null;
  return () => {
    if (spare !== null) {
      const value = spare;
      spare = null;
      return value;
    }
    const radius = Math.sqrt(-2 * Math.log(1 - random()));
    const angle = 2 * Math.PI * random();
    spare = radius * Math.sin(angle);
    return radius * Math.cos(angle);
  };
}
