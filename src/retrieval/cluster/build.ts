import {
  choiceSteps,
  clusterCountCandidates,
  type ClusterCountChoice,
} from './partition/choose-k.ts';
import { kMeansSteps } from './partition/kmeans.ts';
import { itemAt } from '../../base/items.ts';
import { fastestNearest } from './kernels/kernels.ts';
import { rowCount, takeRows, type FindNearest, type Rows } from './partition/nearest.ts';
import { BUILD_DEFAULTS, type BuildOptions } from './options.ts';
import { assignSteps, dissolveSteps, invert, type Partition } from './partition/partition.ts';
import { ProductQuantizer } from './partition/product-quantizer.ts';
import { randomNumbers, sampleRows } from '../../base/random.ts';
import { Refinement } from './partition/refinement.ts';
import { paced, type Steps } from './partition/steps.ts';

/** Everything that an index keeps of the vectors; the vectors themselves are not needed any more. */
export interface ClusterParts extends Partition {
  dimensions: number;
  quantizer: ProductQuantizer;
  /** In the order of `rows`. */
  codes: Uint8Array;
  /** In the order of `rows`; null where the second stage has nothing more. */
  refinement: Refinement | null;
  /** How the number of clusters was chosen, where it was. */
  choice: ClusterCountChoice | null;
}

type BuildStage = 'choose' | 'cluster' | 'assign' | 'quantize' | 'encode';

export interface BuildHooks {
  /** Finds nearest centroids. Default: WASM kernels where they run. */
  nearest?: FindNearest;
  onProgress?: (stage: BuildStage, done: number, total: number) => void;
  /** Called between blocks; give the event loop a turn here. */
  pause?: () => Promise<void>;
  signal?: AbortSignal;
}

/** Vectors that the number of clusters is chosen on. */
const CHOICE_SAMPLE = 16_384;
const CHOICE_ITERATIONS = 5;
/** Rows that are quantized between two turns. */
const ENCODED_AT_ONCE = 2048;

/**
 * Builds inverted lists over k-means++ clusters with product-quantized residuals.
 * @throws RangeError where there are no vectors or the subspaces do not divide the dimensions; the
 * signal's reason when aborted
 */
export async function buildClusters(
  vectors: Rows,
  options: Partial<BuildOptions> = {},
  hooks: BuildHooks = {},
): Promise<ClusterParts> {
  const all = { ...BUILD_DEFAULTS, ...options };
  const { onProgress = () => {}, signal } = hooks;
  const nearest = hooks.nearest ?? (await fastestNearest());
  const n = rowCount(vectors);
  if (n < 1 || !Number.isInteger(n))
    throw new RangeError(
      `${vectors.values.length} numbers do not fill rows of ${vectors.dimensions}`,
    );
  const random = randomNumbers(all.seed);
  const step = async (stage: BuildStage, done: number, total: number): Promise<void> => {
    signal?.throwIfAborted();
    onProgress(stage, done, total);
    await hooks.pause?.();
  };
  await step('choose', 0, 1);
  // Between pieces an abort is seen, whether or not there is a pause.
  const pace = <Result>(steps: Steps<Result>): Promise<Result> =>
    paced(steps, async () => {
      signal?.throwIfAborted();
      await hooks.pause?.();
    });
  const choice = all.clusters === 'auto' ? await pace(choose(vectors, all, random, nearest)) : null;
  const clusters = Math.min(n, choice?.clusters ?? Number(all.clusters));
  await step('cluster', 0, 1);
  const training = takeRows(vectors, sampleRows(n, clusters * all.trainingPerCluster, random));
  const { centroids } = await pace(
    kMeansSteps(training, { clusters, iterations: all.iterations, random, nearest }),
  );
  await step('assign', 0, n);
  const labels = await pace(
    assignSteps(vectors, centroids, nearest, (done) => onProgress('assign', done, n)),
  );
  const kept = await pace(dissolveSteps(vectors, centroids, labels, all.minimumDocuments, nearest));
  const lists = invert(kept.labels, rowCount(kept.centroids));
  const partition = { centroids: kept.centroids, dissolved: kept.dissolved, ...lists };
  await step('quantize', 0, 1);
  const residual = residuals(vectors, partition, kept.labels);
  const subspaces = all.subspaces === 'auto' ? defaultSubspaces(vectors.dimensions) : all.subspaces;
  const quantizer = await pace(
    ProductQuantizer.trainSteps(
      residual(sampleRows(n, CHOICE_SAMPLE, random).map((place) => itemAt(lists.rows, place))),
      subspaces,
      { iterations: all.iterations, random, nearest },
    ),
  );
  const codes = new Uint8Array(n * subspaces);
  const refinement =
    all.refineBits === 0 ? null : new Refinement(all.refineBits, vectors.dimensions, n);
  for (let from = 0; from < n; from += ENCODED_AT_ONCE) {
    await step('encode', from, n);
    const block = residual(lists.rows.subarray(from, from + ENCODED_AT_ONCE));
    const encoded = quantizer.encode(block, nearest);
    codes.set(encoded, from * subspaces);
    if (refinement) refine(block, encoded, from, quantizer, refinement);
  }
  await step('encode', n, n);
  return { ...partition, dimensions: vectors.dimensions, quantizer, codes, refinement, choice };
}

function choose(
  vectors: Rows,
  { minimumDocuments }: BuildOptions,
  random: () => number,
  nearest: FindNearest,
): Steps<ClusterCountChoice> {
  const n = rowCount(vectors);
  const sample = takeRows(vectors, sampleRows(n, CHOICE_SAMPLE, random));
  return choiceSteps(sample, clusterCountCandidates(n, minimumDocuments, sample), {
    iterations: CHOICE_ITERATIONS,
    random,
    nearest,
  });
}

/** One byte for four dimensions where that divides them, else for the next width that does. */
export function defaultSubspaces(dimensions: number): number {
  for (let width = 4; width <= dimensions; width++)
    if (dimensions % width === 0) return dimensions / width;
  return 1;
}

/** Vectors of rows less the centroids of their clusters. */
const residuals =
  ({ values, dimensions: d }: Rows, { centroids }: Partition, labels: Int32Array) =>
  (rows: Int32Array): Rows => {
    const out = new Float32Array(rows.length * d);
    for (const [i, place] of rows.entries()) {
      const row = place * d;
      const c = itemAt(labels, place) * d;
      for (let j = 0; j < d; j++)
        out[i * d + j] = (values[row + j] ?? NaN) - (centroids.values[c + j] ?? NaN);
    }
    return { values: out, dimensions: d };
  };

/** Stores what the codes of a block lose. */
function refine(
  { values, dimensions: d }: Rows,
  encoded: Uint8Array,
  from: number,
  quantizer: ProductQuantizer,
  refinement: Refinement,
): void {
  const decoded = new Float32Array(d);
  for (let i = 0; i * d < values.length; i++) {
    decoded.fill(0);
    quantizer.decodeInto(encoded, i * quantizer.subspaces, decoded);
    for (let j = 0; j < d; j++) decoded[j] = (values[i * d + j] ?? NaN) - (decoded[j] ?? NaN);
    refinement.set(from + i, decoded, 0);
  }
}
