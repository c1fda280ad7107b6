"""One optimizer step of TRL on Forage's own rollouts, from Forage's adapter, against Forage's own step.

    python trl_one_step.py DIR        DIR: what one-step.ts wrote

Trains by the train.py of the exported folder with its arguments; only the environment is a recording. Prints
one JSON object, and exits 1 where a bound is missed.
"""

import json
import pathlib
import sys

import torch
from safetensors.torch import load_file

import recorded

step_folder = pathlib.Path(sys.argv[1])
folder = step_folder / "folder"
sys.path.insert(0, str(folder))
import train  # noqa: E402

train.Environment = lambda *_: recorded.Recorded(step_folder / "rollouts.jsonl")
MACHINE = ["use_vllm=false", "use_cpu=true", "bf16=false", "gradient_checkpointing=false", "save_strategy=no"]
options = train.options_of(
    ["--out", str(step_folder / "trl"), "--dtype", "float32", *(word for change in MACHINE for word in ("--set", change))]
)
trainer = train.build(options)
trainer.train()
trainer.save_model(step_folder / "trl" / "adapter")

ours = load_file(step_folder / "after" / "adapter_model.safetensors")
theirs = load_file(step_folder / "trl" / "adapter" / "adapter_model.safetensors")
before = load_file(folder / "adapter" / "adapter_model.safetensors")
assert set(ours) == set(theirs), sorted(set(ours) ^ set(theirs))[:3]
update = torch.cat([(ours[name] - before[name]).flatten() for name in ours]).double()
their_update = torch.cat([(theirs[name] - before[name]).flatten() for name in ours]).double()
step = json.loads((step_folder / "step.json").read_text())
[log] = [entry for entry in trainer.state.log_history if "grad_norm" in entry]
beta = trainer.args.beta
found = {
    "loss_type": trainer.args.loss_type,
    "norm_ratio": log["grad_norm"] / step["gradientNorm"],
    "update_cosine": torch.cosine_similarity(update, their_update, dim=0).item(),
    "largest_update": update.abs().max().item(),
    "largest_difference": (update - their_update).abs().max().item(),
    "learning_rate": log["learning_rate"],
    "reward_difference": abs(log["reward"] - step["reward"]["mean"]),
    **({"kl": log["kl"], "kl_relative": abs(log["kl"] / step["kl"] - 1)} if beta > 0 else {}),
}
found["ok"] = (
    abs(found["norm_ratio"] - 1) <= 5e-4
    and found["update_cosine"] > 0.9999
    and abs(found["learning_rate"] / step["learningRate"] - 1) < 1e-9
    and found["reward_difference"] < 1e-6
    and found.get("kl_relative", 0) <= 1e-3
)
print(json.dumps(found))
sys.exit(0 if found["ok"] else 1)
