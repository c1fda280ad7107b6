"""What PEFT gives the tokens that Forage sampled with the same adapter.

    python peft_logprobs.py POLICY ADAPTER ROLLOUTS.jsonl

ROLLOUTS.jsonl: of `lab evaluate --adapter ADAPTER --temperature 1`, with Forage's log-probabilities. Prints one
JSON object, and exits 1 where a token is off by more than 1e-4 nats.
"""

import json
import sys

import torch
from peft import PeftModel
from transformers import AutoModelForCausalLM

import recorded

policy, adapter, rollouts = sys.argv[1:]
base = AutoModelForCausalLM.from_pretrained(policy, dtype=torch.float32)
model = PeftModel.from_pretrained(base, adapter).eval()
found = {"tokens": 0, "largest_gap": 0.0, "adapter_moves": 0.0}
for line in open(rollouts):
    rollout = json.loads(line)
    ids = torch.tensor([recorded.flat(rollout, lambda s: s["ids"])])
    ours = recorded.flat(rollout, lambda s: s["logprobs"] if s["mask"] else [0.0] * len(s["ids"]))
    places = [i for i, trained in enumerate(recorded.flat(rollout, lambda s: [s["mask"]] * len(s["ids"]))) if trained]
    with torch.no_grad():
        theirs = torch.log_softmax(model(ids).logits[0].double(), -1)
        with model.disable_adapter():
            plain = torch.log_softmax(model(ids).logits[0].double(), -1)
    for i in places:
        token = ids[0, i]
        found["largest_gap"] = max(found["largest_gap"], abs(theirs[i - 1, token].item() - ours[i]))
        found["adapter_moves"] = max(found["adapter_moves"], abs(theirs[i - 1, token] - plain[i - 1, token]).item())
    found["tokens"] += len(places)
# An adapter that does nothing would pass whatever was loaded.
found["ok"] = found["tokens"] > 0 and found["largest_gap"] <= 1e-4 and found["adapter_moves"] > 1e-3
print(json.dumps(found))
sys.exit(0 if found["ok"] else 1)
