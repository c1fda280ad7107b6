/**
 * A reader of FAISS's files of inverted lists, written from faiss/impl/index_read.cpp: what
 * `read_index` takes for an IndexIVFPQ, refusing whatever it refuses.
 */
export interface FaissFile {
  dimensions: number;
  rows: number;
  metric: number;
  probes: number;
  centroids: number[][];
  byResidual: boolean;
  /** `subspaces × 256 × width`. */
  codebooks: number[];
  subspaces: number;
  lists: { ids: number[]; codes: number[][] }[];
}

class Reader {
  readonly #view: DataView;
  #at = 0;
  constructor(bytes: Uint8Array) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }
  byte = (): number => this.#view.getUint8(this.#at++);
  int32 = (): number => this.#view.getInt32((this.#at += 4) - 4, true);
  float = (): number => this.#view.getFloat32((this.#at += 4) - 4, true);
  int64 = (): number => Number(this.#view.getBigInt64((this.#at += 8) - 8, true));
  fourcc = (): string => String.fromCharCode(this.byte(), this.byte(), this.byte(), this.byte());
  many = <T>(n: number, one: () => T): T[] => Array.from({ length: n }, one);
  get left(): number {
    return this.#view.byteLength - this.#at;
  }
}

const expect = (ok: boolean, what: string): void => {
  if (!ok) throw new Error(`FAISS would refuse this file: ${what}`);
};

const header = (r: Reader): { dimensions: number; rows: number; metric: number } => {
  const [dimensions, rows] = [r.int32(), r.int64()];
  r.int64();
  r.int64();
  expect(r.byte() === 1, 'it is not trained');
  return { dimensions, rows, metric: r.int32() };
};

export function readFaiss(bytes: Uint8Array): FaissFile {
  const r = new Reader(bytes);
  expect(r.fourcc() === 'IwPQ', 'no IndexIVFPQ');
  const { dimensions, rows, metric } = header(r);
  const [nlist, probes] = [r.int64(), r.int64()];
  expect(r.fourcc() === 'IxFI', 'the quantizer is no IndexFlatIP');
  const coarse = header(r);
  expect(coarse.rows === nlist && coarse.dimensions === dimensions, 'centroids of another shape');
  expect(coarse.metric === 0, 'centroids of another metric');
  expect(r.int64() === nlist * dimensions, 'too few numbers for the centroids');
  const centroids = r.many(nlist, () => r.many(dimensions, r.float));
  expect(r.byte() === 0 && r.int64() === 0, 'a direct map');
  const byResidual = r.byte() === 1;
  const codeSize = r.int64();
  const [d, subspaces, bits] = [r.int64(), r.int64(), r.int64()];
  expect(d === dimensions && bits === 8 && codeSize === subspaces, 'a quantizer of another shape');
  const count = r.int64();
  expect(count === 256 * d, 'codebooks of another size');
  const codebooks = r.many(count, r.float);
  expect(r.fourcc() === 'ilar', 'no array of lists');
  expect(r.int64() === nlist && r.int64() === codeSize, 'lists of another shape');
  expect(r.fourcc() === 'full' && r.int64() === nlist, 'sizes that are not full');
  const lists = r.many(nlist, r.int64).map((n) => {
    const codes = r.many(n, () => r.many(codeSize, r.byte));
    return { codes, ids: r.many(n, r.int64) };
  });
  expect(r.left === 0, `${r.left} bytes too many`);
  return { dimensions, rows, metric, probes, centroids, byResidual, codebooks, subspaces, lists };
}

/** All rows by inner product with what their codes stand for, best first; double precision. */
export function scan(file: FaissFile, query: readonly number[]): { id: number; score: number }[] {
  const width = file.dimensions / file.subspaces;
  return file.lists
    .flatMap(({ ids, codes }, list) =>
      ids.map((id, i) => {
        let score = 0;
        for (const [j, value] of query.entries()) {
          const subspace = Math.floor(j / width);
          const code = codes[i]?.[subspace] ?? NaN;
          const decoded = file.codebooks[(subspace * 256 + code) * width + (j % width)] ?? NaN;
          score += value * ((file.centroids[list]?.[j] ?? NaN) + decoded);
        }
        return { id, score };
      }),
    )
    .sort((a, b) => b.score - a.score || a.id - b.id);
}
