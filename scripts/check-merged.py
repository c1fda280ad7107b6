"""Whether a merged folder computes what its base with the adapter does, in transformers and PEFT.

    pip install torch transformers peft && python scripts/check-merged.py BASE ADAPTER MERGED

Prints the largest difference of logits over random tokens, of the merged model and of the base alone.
"""

import sys

import torch
from peft import PeftModel
from transformers import AutoModelForCausalLM

base, adapter, merged = sys.argv[1:]
load = lambda folder: AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
plain, folded = load(base), AutoModelForCausalLM.from_pretrained(merged).eval()
assert folded.dtype == torch.float32, folded.dtype
torch.manual_seed(0)
ids = torch.randint(0, plain.config.vocab_size, (2, 64))
with torch.no_grad():
    before = plain(ids).logits
    want = PeftModel.from_pretrained(plain, adapter)(ids).logits
    got = folded(ids).logits
worst = (got - want).abs().max().item()
print(f"merged: {worst:.2e}, base alone: {(before - want).abs().max().item():.2e}, logits up to {want.abs().max():.2f}")
sys.exit(worst > 1e-4)
