"""Searches this folder's passages by FAISS, with the encoder that made their vectors.

    python search.py "who directed the film"     the nearest passages
    python search.py --serve 8000                Search-R1's protocol on http://127.0.0.1:8000/retrieve
    python search.py --check                     compares scores and order with what Forage found
"""
import argparse
import json
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import faiss
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
# Scores of Forage and FAISS are the same sums in another order.
SCORE_TOLERANCE = 1e-6
# The encoder runs in another build of onnxruntime here.
VECTOR_TOLERANCE = 1e-4


class Encoder:
    """Texts as unit vectors, as the settings of encoder.json say."""

    def __init__(self, settings):
        import onnxruntime
        from tokenizers import Tokenizer

        folder = os.path.join(HERE, "encoder")
        self.settings = settings
        self.session = onnxruntime.InferenceSession(
            os.path.join(folder, settings["model"]), providers=["CPUExecutionProvider"]
        )
        self.inputs = {one.name for one in self.session.get_inputs()}
        self.output = settings.get("output") or self.session.get_outputs()[0].name
        self.tokenizer = Tokenizer.from_file(os.path.join(folder, settings["tokenizer"]))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(max_length=settings["maxTokens"])

    def query(self, text):
        settings = self.settings
        text = settings["queryPrefix"] + text.strip()
        if settings["layout"] == "forage":
            text = " " + text
        if settings["lowerCase"]:
            text = text.lower()
        ids = self.tokenizer.encode(text, add_special_tokens=settings["specialTokens"]).ids
        ids = np.array([ids or [settings["padId"]]], dtype=np.int64)
        mask = np.ones_like(ids)
        every = {
            "input_ids": ids,
            "attention_mask": mask,
            "token_type_ids": np.zeros_like(ids),
            "position_ids": np.arange(ids.shape[1], dtype=np.int64)[None],
        }
        feed = {name: every[name] for name in self.inputs}
        out = self.session.run([self.output], feed)[0].astype(np.float32)[0]
        pooling = settings["pooling"]
        if pooling == "mean":
            out = out.mean(axis=0)
        elif pooling == "max":
            out = out.max(axis=0)
        elif pooling == "cls":
            out = out[0]
        elif pooling == "last":
            out = out[-1]
        if settings["normalize"]:
            out = out / max(float(np.linalg.norm(out)), 1e-12)
        return out.astype(np.float32)


class Passages:
    """Lines of passages.jsonl by row, read when they are asked for."""

    def __init__(self, path):
        self.path = path
        self.starts = []
        with open(path, "rb") as file:
            at = 0
            for line in file:
                self.starts.append(at)
                at += len(line)

    def __len__(self):
        return len(self.starts)

    def __getitem__(self, row):
        with open(self.path, "rb") as file:
            file.seek(self.starts[row])
            return json.loads(file.readline())


class Search:
    def __init__(self, probes=None):
        with open(os.path.join(HERE, "index.json"), encoding="utf-8") as file:
            self.about = json.load(file)
        self.index = faiss.read_index(os.path.join(HERE, "index.faiss"))
        self.passages = Passages(os.path.join(HERE, "passages.jsonl"))
        if self.index.ntotal != len(self.passages):
            sys.exit(f"index.faiss holds {self.index.ntotal} rows, passages.jsonl {len(self.passages)}: they are not of one export.")
        if probes:
            self.index.nprobe = min(probes, self.index.nlist)
        self.kept = None

    @property
    def encoder(self):
        if self.kept is None:
            self.kept = Encoder(self.about["encoder"])
        return self.kept

    def __call__(self, text, k):
        scores, rows = self.index.search(self.encoder.query(text)[None], k)
        return [(float(s), self.passages[int(r)]) for s, r in zip(scores[0], rows[0]) if r >= 0]


def check(search):
    """Every list is visited, so that nothing but the scores decides. Exits 1 where something differs."""
    with open(os.path.join(HERE, "expected.json"), encoding="utf-8") as file:
        expected = json.load(file)
    search.index.nprobe = search.index.nlist
    worst, disordered, vectors = 0.0, 0, 0.0
    for one in expected:
        vector = np.array(one["vector"], dtype=np.float32)
        vectors = max(vectors, float(np.abs(search.encoder.query(one["query"]) - vector).max()))
        want = {row: score for row, score in one["neighbours"]}
        scores, rows = search.index.search(vector[None], len(want))
        for place, (score, row) in enumerate(zip(scores[0], rows[0])):
            row_there, score_there = one["neighbours"][place]
            worst = max(worst, abs(float(score) - want.get(int(row), score_there)))
            # Rows whose scores agree to the tolerance may change places.
            disordered += int(row) != row_there and abs(float(score) - score_there) > SCORE_TOLERANCE
    good = worst <= SCORE_TOLERANCE and disordered == 0 and vectors <= VECTOR_TOLERANCE
    print(
        f"FAISS {faiss.__version__}, {search.index.ntotal} rows in {search.index.nlist} lists, {len(expected)} queries: "
        f"scores differ by {worst:.1e} at most, {disordered} places of another order, "
        f"query vectors differ by {vectors:.1e}: {'as in Forage' if good else 'NOT as in Forage'}"
    )
    return 0 if good else 1


def serve(search, host, port):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            try:
                if self.path != "/retrieve":
                    return self.answer(404, {"error": "POST /retrieve"})
                body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))))
                queries, k = body["queries"], int(body.get("topk") or 3)
                if not isinstance(queries, list) or not 1 <= k <= 1000:
                    raise ValueError("queries is a list of texts, topk 1 to 1000")
            except (KeyError, TypeError, ValueError) as error:
                return self.answer(400, {"error": str(error)})
            found = [[self.item(*one, body.get("return_scores")) for one in search(str(q), k)] for q in queries]
            return self.answer(200, {"result": found})

        @staticmethod
        def item(score, passage, scored):
            document = dict(passage, contents=f"\"{passage['title']}\"\n{passage['text']}")
            return {"document": document, "score": score} if scored else document

        def answer(self, status, value):
            data = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_):
            pass

    search.encoder  # A fault of the encoder shows now, not at the first query.
    server = ThreadingHTTPServer((host, port), Handler)
    print(f"http://{host}:{server.server_address[1]}/retrieve", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("query", nargs="?")
    parser.add_argument("-k", type=int, default=5, help="passages (5)")
    parser.add_argument("--probes", type=int, help="lists that are visited; those of index.json unless given")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--serve", type=int, metavar="PORT")
    parser.add_argument("--host", default="127.0.0.1")
    options = parser.parse_args()
    search = Search(options.probes)
    if options.check:
        return check(search)
    if options.serve is not None:
        return serve(search, options.host, options.serve)
    if options.query is None:
        parser.error("give a query, --serve or --check")
    for score, passage in search(options.query, options.k):
        print(f"{score:.4f}  {passage['id']}  {passage['title']}: {passage['text'][:200]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
