import { kMeansSteps } from './kmeans.ts';
import { findNearest, rowCount, takeRows, type FindNearest, type Rows } from './nearest.ts';
import { sampleRows } from '../../../base/random.ts';
import { finish, type Steps } from './steps.ts';

/** Centroids of a subspace; a code is one byte. */
const CENTROIDS = 256;
const TRAINING_ROWS = 256 * 64;

interface TrainOptions {
  iterations: number;
  random: () => number;
  nearest?: FindNearest;
}

/**
 * Product quantization (Jégou, Douze, Schmid, 2011): the vector is cut into subspaces of equal
 * width, each part replaced by the nearest of 256 centroids, so that a vector takes one byte a
 * subspace.
 */
export class ProductQuantizer {
  readonly dimensions: number;
  readonly subspaces: number;
  readonly width: number;
  /** `subspaces × 256 × width`. */
  readonly centroids: Float32Array;

  constructor(dimensions: number, subspaces: number, centroids: Float32Array) {
    if (!(subspaces >= 1) || dimensions % subspaces !== 0)
      throw new RangeError(`${subspaces} subspaces do not divide ${dimensions} dimensions`);
    this.dimensions = dimensions;
    this.subspaces = subspaces;
    this.width = dimensions / subspaces;
    if (centroids.length !== CENTROIDS * dimensions)
      throw new RangeError(`${centroids.length} numbers for ${CENTROIDS} × ${dimensions}`);
    this.centroids = centroids;
  }

  /** k-means in every subspace, on at most 16,384 of the rows. */
  static train(rows: Rows, subspaces: number, options: TrainOptions): ProductQuantizer {
    return finish(ProductQuantizer.trainSteps(rows, subspaces, options));
  }

  /** As `train`, in pieces. */
  static *trainSteps(
    rows: Rows,
    subspaces: number,
    options: TrainOptions,
  ): Steps<ProductQuantizer> {
    const { dimensions } = rows;
    const centroids = new Float32Array(CENTROIDS * dimensions);
    const quantizer = new ProductQuantizer(dimensions, subspaces, centroids);
    const sample = takeRows(rows, sampleRows(rowCount(rows), TRAINING_ROWS, options.random));
    for (let m = 0; m < subspaces; m++) {
      const part = quantizer.#part(sample, m);
      const found = yield* kMeansSteps(part, {
        ...options,
        clusters: CENTROIDS,
        seedingRows: 4096,
      });
      centroids.set(found.centroids.values, m * CENTROIDS * quantizer.width);
    }
    return quantizer;
  }

  /** Codes of the rows, `rows × subspaces` bytes. */
  encode(rows: Rows, nearest: FindNearest = findNearest): Uint8Array {
    const n = rowCount(rows);
    const codes = new Uint8Array(n * this.subspaces);
    for (let m = 0; m < this.subspaces; m++) {
      const { labels } = nearest(this.#part(rows, m), this.#codebook(m));
      for (const [p, label] of labels.entries()) codes[p * this.subspaces + m] = label;
    }
    return codes;
  }

  /** Adds the vector that a code stands for (the code starts at byte `at`) to `out`. */
  decodeInto(codes: Uint8Array, at: number, out: Float32Array, start = 0): void {
    const { width } = this;
    for (let m = 0; m < this.subspaces; m++) {
      const from = (m * CENTROIDS + (codes[at + m] ?? NaN)) * width;
      for (let i = 0; i < width; i++)
        out[start + m * width + i] =
          (out[start + m * width + i] ?? NaN) + (this.centroids[from + i] ?? NaN);
    }
  }

  /** Numbers of a query's table. */
  get tableLength(): number {
    return CENTROIDS * this.subspaces;
  }

  /** Inner products of the query with every centroid, `subspaces × 256`, for asymmetric distances. */
  table(query: Float32Array, out: Float32Array): void {
    const { width, centroids } = this;
    for (let m = 0, at = 0, from = 0; m < this.subspaces; m++) {
      for (let c = 0; c < CENTROIDS; c++, at++) {
        let sum = 0;
        for (let i = 0; i < width; i++)
          sum += (query[m * width + i] ?? NaN) * (centroids[from++] ?? NaN);
        out[at] = sum;
      }
    }
  }

  #part({ values, dimensions }: Rows, m: number): Rows {
    const { width } = this;
    const n = values.length / dimensions;
    const part = new Float32Array(n * width);
    for (let p = 0; p < n; p++) {
      for (let i = 0; i < width; i++)
        part[p * width + i] = values[p * dimensions + m * width + i] ?? NaN;
    }
    return { values: part, dimensions: width };
  }

  #codebook(m: number): Rows {
    const size = CENTROIDS * this.width;
    return { values: this.centroids.subarray(m * size, (m + 1) * size), dimensions: this.width };
  }
}
