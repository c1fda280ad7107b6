"""FAISS on the vectors that `run.ts --export FOLDER` wrote: flat and IVF-PQ, one thread.

    pip install faiss-cpu numpy
    python bench/cluster/faiss_reference.py FOLDER [--clusters 2000] [--subspaces 32] [--probes 16] [--hnsw]
"""

import argparse
import json
import pathlib
import time

import faiss
import numpy as np

K = 10


def measure(name, index, queries, truth, size):
    times, found = [], []
    for query in queries[:20]:
        index.search(query[None], K)
    for query in queries:
        start = time.perf_counter()
        _, rows = index.search(query[None], K)
        times.append(1000 * (time.perf_counter() - start))
        found.append(rows[0])
    recall = 1.0 if truth is None else np.mean(
        [len(set(a) & set(b)) / K for a, b in zip(found, truth)]
    )
    print(f"| {name} | {np.mean(times):.3f} | {np.percentile(times, 99):.3f} | {size:.0f} | {recall:.4f} |")
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--clusters", type=int, default=2000)
    parser.add_argument("--subspaces", type=int, default=32)
    parser.add_argument("--probes", type=int, default=16)
    parser.add_argument("--hnsw", action="store_true", help="also HNSW, which takes minutes to build")
    options = parser.parse_args()
    faiss.omp_set_num_threads(1)
    shape = json.loads((options.folder / "shape.json").read_text())
    d = shape["dimensions"]
    vectors = np.fromfile(options.folder / "vectors.f32", "<f4").reshape(-1, d)
    queries = np.fromfile(options.folder / "queries.f32", "<f4").reshape(-1, d)
    print("| method | mean ms | P99 ms | bytes a document | recall@10 |")
    print("|---|---|---|---|---|")
    flat = faiss.IndexFlatIP(d)
    flat.add(vectors)
    truth = measure("FAISS flat", flat, queries, None, 4 * d)
    quantizer = faiss.IndexFlatIP(d)
    ivf = faiss.IndexIVFPQ(quantizer, d, options.clusters, options.subspaces, 8, faiss.METRIC_INNER_PRODUCT)
    ivf.train(vectors[:: max(1, len(vectors) // max(10_000, 64 * options.clusters))])
    ivf.add(vectors)
    ivf.nprobe = options.probes
    measure(f"FAISS IVF{options.clusters},PQ{options.subspaces}", ivf, queries, truth, options.subspaces + 8)
    scalar = faiss.IndexScalarQuantizer(
        d, faiss.ScalarQuantizer.QT_8bit, faiss.METRIC_INNER_PRODUCT
    )
    scalar.train(vectors[:100_000])
    scalar.add(vectors)
    refined = faiss.IndexRefine(ivf, scalar)
    refined.k_factor = 100
    for probes in [options.probes, 2 * options.probes, 4 * options.probes]:
        ivf.nprobe = probes
        measure(
            f"the same, 8-bit refinement, {probes} probes",
            refined, queries, truth, options.subspaces + 8 + d,
        )
    if options.hnsw:
        hnsw = faiss.IndexHNSWFlat(d, 16, faiss.METRIC_INNER_PRODUCT)
        hnsw.hnsw.efConstruction = 100
        start = time.perf_counter()
        hnsw.add(vectors)
        print(f"HNSW built in {time.perf_counter() - start:.0f} s")
        hnsw.hnsw.efSearch = 96
        measure("FAISS HNSW, M 16, efSearch 96", hnsw, queries, truth, 4 * d + 2 * 16 * 4)


if __name__ == "__main__":
    main()
