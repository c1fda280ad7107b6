"""TRL's loss and its gradient on made-up log-probabilities, against Forage's.

    python trl_objectives.py CASES.json        CASES.json: what objective-cases.ts wrote for trl

Calls GRPOTrainer._compute_loss itself, over micro-batches as it is called in training. Prints one JSON object,
and exits 1 where a loss is off by more than 1e-6 or a gradient by more than 1e-6 of its largest value.
"""

import collections
import json
import sys
import types

import torch
from trl import GRPOTrainer

data = json.load(open(sys.argv[1]))
lengths = data["lengths"]
n, width = len(lengths), max(lengths)


def padded(rows):
    return torch.tensor([row + [0.0] * (width - len(row)) for row in rows])


logprobs, old, ref = (padded([one[key] for one in data["sequences"]]) for key in ("logprob", "old", "ref"))
mask = padded([[1.0] * length for length in lengths]).long()


class Alone:
    """An accelerator of one process."""

    num_processes, sync_gradients = 1, True

    def gather(self, value):
        return value

    def reduce(self, value, reduction):
        return value


def loss_of(case, leaf):
    grpo, batch = case["arguments"]["grpo"], case["arguments"]["batch"]
    micro = batch["micro"]
    micros = [slice(start, start + micro) for start in range(0, n, micro)]
    trainer = types.SimpleNamespace(
        args=types.SimpleNamespace(
            delta=grpo["delta"], use_bias_correction_kl=grpo["use_bias_correction_kl"], steps_per_generation=len(micros)
        ),
        model=types.SimpleNamespace(training=True),
        accelerator=Alone(),
        beta=grpo["beta"],
        epsilon_low=grpo["epsilon"],
        epsilon_high=grpo["epsilon_high"],
        loss_type=grpo["loss_type"],
        max_completion_length=grpo["max_completion_length"],
        importance_sampling_level=grpo["importance_sampling_level"],
        top_entropy_quantile=grpo["top_entropy_quantile"],
        off_policy_mask_threshold=grpo["off_policy_mask_threshold"],
        current_gradient_accumulation_steps=len(micros),
        aux_loss_enabled=False,
        use_vllm=False,
        _entropy_bonus_enabled=False,
        _metrics=collections.defaultdict(lambda: collections.defaultdict(list)),
    )
    advantages = torch.tensor(case["advantages"], dtype=torch.float32)
    total = 0.0
    for part in micros:
        entropies = torch.zeros_like(leaf[part])
        trainer._get_per_token_logps_and_entropies = lambda *_, part=part, e=entropies, **__: (leaf[part], e, None)
        inputs = {
            "prompt_ids": mask[part, :1],
            "prompt_mask": mask[part, :1],
            "completion_ids": mask[part],
            "completion_mask": torch.ones_like(mask[part]),
            "tool_mask": mask[part],
            "advantages": advantages[part],
            "old_per_token_logps": old[part],
            "ref_per_token_logps": ref[part],
            "num_items_in_batch": mask.sum(),
        }
        total = total + GRPOTrainer._compute_loss(trainer, None, inputs)
    return total


worst = {"objectives": len(data["cases"]), "loss": 0.0, "gradient": 0.0, "clipped_tokens": 0}
for case in data["cases"]:
    leaf = logprobs.clone().requires_grad_()
    loss = loss_of(case, leaf)
    loss.backward()
    ours = padded(case["gradient"])
    worst["loss"] = max(worst["loss"], abs(loss.item() - case["loss"]))
    worst["gradient"] = max(worst["gradient"], ((leaf.grad - ours).abs().max() / ours.abs().max()).item())
    worst["clipped_tokens"] += case["clipped"]
worst["ok"] = worst["loss"] <= 1e-6 and worst["gradient"] <= 1e-6 and worst["clipped_tokens"] > 0
print(json.dumps(worst))
sys.exit(0 if worst["ok"] else 1)
