"""TRL's steps on Forage's own rollouts, from Forage's adapter, against Forage's own steps.

    python trl_steps.py DIR        DIR: what forage-steps.ts wrote

Trains by the train.py of the exported folder with its arguments; only the environment is a recording. Of one
step, gradient, update and KL are compared; of any number, the learning rates and rewards. (From the second step
on the policies are not the same any more, and the rollouts are Forage's.) Prints one JSON object, and exits 1
where a bound is missed.
"""

import json
import pathlib
import sys

import torch
from safetensors.torch import load_file

import recorded

work = pathlib.Path(sys.argv[1])
folder = work / "folder"
sys.path.insert(0, str(folder))
import train  # noqa: E402

train.Environment = lambda *_: recorded.Recorded(work / "rollouts.jsonl")
MACHINE = ["use_vllm=false", "use_cpu=true", "bf16=false", "gradient_checkpointing=false", "save_strategy=no"]
options = train.options_of(
    ["--out", str(work / "trl"), "--dtype", "float32", *(word for change in MACHINE for word in ("--set", change))]
)
experiment = train.read_experiment()
batch = experiment["trainer"]["arguments"]["batch"]
if not batch["exactly"]:
    # All at once: the KL that TRL logs is a mean over micro-batches.
    batch["micro"] = batch["rollouts"] // batch["updates"]
trainer = train.build(options, experiment)
trainer.train()
trainer.save_model(work / "trl" / "adapter")

steps = [json.loads(line) for line in open(work / "steps.jsonl")]
logs = [entry for entry in trainer.state.log_history if "grad_norm" in entry]
assert len(logs) == len(steps), (len(logs), len(steps))
found = {
    "steps": len(steps),
    "loss_type": trainer.args.loss_type,
    # Of the full rate: the last of a cosine is 0.
    "rate_difference": max(abs(log["learning_rate"] - step["learningRate"]) for log, step in zip(logs, steps)) / trainer.args.learning_rate,
    "reward_difference": max(abs(log["reward"] - step["reward"]["mean"]) for log, step in zip(logs, steps)),
}
found["ok"] = found["rate_difference"] < 1e-9 and found["reward_difference"] < 1e-6
if len(steps) == 1:
    [log], [step] = logs, steps
    ours = load_file(work / "after" / "adapter_model.safetensors")
    theirs = load_file(work / "trl" / "adapter" / "adapter_model.safetensors")
    before = load_file(folder / "adapter" / "adapter_model.safetensors")
    assert set(ours) == set(theirs), sorted(set(ours) ^ set(theirs))[:3]
    update = torch.cat([(ours[name] - before[name]).flatten() for name in ours]).double()
    their_update = torch.cat([(theirs[name] - before[name]).flatten() for name in ours]).double()
    found["norm_ratio"] = log["grad_norm"] / step["gradientNorm"]
    found["update_cosine"] = torch.cosine_similarity(update, their_update, dim=0).item()
    found["ok"] &= abs(found["norm_ratio"] - 1) <= 5e-4 and found["update_cosine"] > 0.9999
    if trainer.args.beta > 0:
        found["kl_relative"] = abs(log["kl"] / step["kl"] - 1)
        found["ok"] &= found["kl_relative"] <= 1e-3
print(json.dumps(found))
sys.exit(0 if found["ok"] else 1)
