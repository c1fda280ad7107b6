"""FAISS reads what faiss-values.ts wrote and comes to the same scores in the same order.

    python scripts/handover/faiss_check.py DIR
"""
import json
import pathlib
import sys

import faiss
import numpy as np

BOUND = 1e-6
DEPTH = 100

folder = pathlib.Path(sys.argv[1])
told = json.loads((folder / "random.json").read_text())
index = faiss.read_index(str(folder / "random.faiss"))
assert (index.ntotal, index.nlist, index.nprobe) == (told["rows"], told["lists"], told["probes"])
assert index.metric_type == faiss.METRIC_INNER_PRODUCT and index.by_residual
queries = np.array(told["queries"], dtype=np.float32)
own = np.array(told["scores"])
index.nprobe = index.nlist
scores, rows = index.search(queries, DEPTH)
worst = max(abs(scores[q, i] - own[q, rows[q, i]]) for q in range(len(queries)) for i in range(DEPTH))
# The same rows at the same places, but for those whose scores agree to the bound.
order = np.argsort(-own, axis=1, kind="stable")[:, :DEPTH]
swapped = [
    (q, i)
    for q in range(len(queries))
    for i in range(DEPTH)
    if rows[q, i] != order[q, i] and abs(own[q, rows[q, i]] - own[q, order[q, i]]) > BOUND
]
good = worst <= BOUND and not swapped
print(
    f"FAISS {faiss.__version__}, {index.ntotal} random rows in {index.nlist} lists: scores differ by {worst:.1e} at most "
    f"(bound {BOUND:.0e}), {len(swapped)} of {rows.size} places of another order: {'ok' if good else 'FAILED'}"
)
sys.exit(0 if good else 1)
