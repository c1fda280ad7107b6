import { randomNumbers } from '../../src/base/random.ts';
import type { Rows } from '../../src/retrieval/cluster/partition/nearest.ts';

/** Unit vectors around random centres; `noise` is the length of what is added to a centre. */
export function clustered(
  topics: number,
  perTopic: number,
  dimensions: number,
  { noise = 0.4, seed = 1 } = {},
): Rows & { topicOf: (row: number) => number; draw: () => Float32Array } {
  const random = randomNumbers(seed);
  // A sum of twelve uniform numbers is normal enough here.
  const normal = (): number => Array.from({ length: 12 }, random).reduce((a, b) => a + b, -6);
  const unit = (v: Float32Array): Float32Array => {
    const length = Math.hypot(...v);
    return v.map((x) => x / length);
  };
  const centres = Array.from({ length: topics }, () =>
    unit(Float32Array.from({ length: dimensions }, normal)),
  );
  const near = (topic: number): Float32Array =>
    unit(centres[topic]!.map((x) => x + (noise * normal()) / Math.sqrt(dimensions)));
  const values = new Float32Array(topics * perTopic * dimensions);
  for (let row = 0; row < topics * perTopic; row++)
    values.set(near(row % topics), row * dimensions);
  return {
    values,
    dimensions,
    topicOf: (row) => row % topics,
    draw: () => near(Math.floor(random() * topics)),
  };
}
