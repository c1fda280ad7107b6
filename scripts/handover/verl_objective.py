"""verl's own advantages, losses, gradients and schedules against Forage's, for the arguments of the export.

    npx tsx scripts/handover/verl-values.ts > values.json
    python scripts/handover/verl_objective.py values.json

Prints one line a comparison; exits 1 where a number is over its bound.
"""
import json
import os
import sys
import warnings
from types import SimpleNamespace

warnings.filterwarnings("ignore")

import numpy as np
import torch
import verl
from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf
from verl.protocol import DataProto
from verl.trainer.ppo import core_algos
from verl.trainer.ppo.ray_trainer import apply_kl_penalty, compute_advantage
from verl.utils.config import omega_conf_to_dataclass
from verl.workers.engine.fsdp.transformer_impl import FSDPEngine

BOUND = 1e-6
# Of learning rates, relative: the same formula in double precision on both sides.
RATE_BOUND = 1e-12


def config_of(arguments):
    def text(value):
        if isinstance(value, list):
            return f"[{','.join(map(text, value))}]"
        return "null" if value is None else str(value)

    config = compose("ppo_trainer", [f"{key}={text(value)}" for key, value in arguments.items()])
    OmegaConf.resolve(config)
    return config


def main(path):
    with open(path, encoding="utf-8") as file:
        values = json.load(file)
    sequences, rewards = values["sequences"], values["rewards"]
    count, width = len(sequences), max(len(one["logprob"]) for one in sequences)

    def padded(rows):
        out = torch.zeros(count, width)
        for i, row in enumerate(rows):
            out[i, : len(row)] = torch.tensor(row)
        return out

    mask = padded([[1.0] * len(one["logprob"]) for one in sequences])
    logprob, old, reference = (padded([one[name] for one in sequences]) for name in ("logprob", "old", "reference"))
    scores = torch.zeros(count, width)
    for i, one in enumerate(sequences):
        scores[i, len(one["logprob"]) - 1] = rewards[i]
    groups = np.array([f"group {g}" for g in values["groups"]], dtype=object)
    tokens = int(mask.sum())
    failed = []

    def tell(what, worst, bound):
        good = worst <= bound
        print(f"verl {verl.__version__} {what}: {worst:.1e} (bound {bound:.0e}) {'ok' if good else 'FAILED'}")
        if not good:
            failed.append(what)

    worst = {}
    for case in values["advantages"]:
        config = config_of(case["arguments"]).algorithm
        data = DataProto.from_dict(
            {
                "response_mask": mask.clone(),
                "token_level_scores": scores.clone(),
                "token_level_rewards": scores.clone(),
                "old_log_probs": old.clone(),
                "ref_log_prob": reference.clone(),
            },
            {"uid": groups},
        )
        if config.use_kl_in_reward:
            data, _ = apply_kl_penalty(data, core_algos.get_kl_controller(config.kl_ctrl), config.kl_penalty)
        data = compute_advantage(
            data,
            adv_estimator=config.adv_estimator,
            gamma=config.gamma,
            lam=config.lam,
            norm_adv_by_std_in_grpo=config.norm_adv_by_std_in_grpo,
            config=config,
        )
        own = torch.tensor(case["advantages"])
        if config.adv_estimator == "reinforce_plus_plus_baseline":
            # verl's deviation is the unbiased one.
            own = own * ((tokens - 1) / tokens) ** 0.5
        gap = ((data.batch["advantages"] - own.unsqueeze(1)) * mask).abs().max().item()
        name = case["changes"][0].split("=")[1]
        worst[name] = max(worst.get(name, 0.0), gap)
    for name, gap in worst.items():
        shown = f"advantages {name}, KL in the reward off, k1, k2, k3"
        tell(shown + (f", × √((N−1)/N), N = {tokens}" if name.startswith("reinforce") else ""), gap, BOUND)

    loss_gap = gradient_gap = 0.0
    for case in values["losses"]:
        config = config_of(case["arguments"])
        actor = omega_conf_to_dataclass(config.actor_rollout_ref.actor)
        whole = {
            "dp_size": 1,
            "batch_num_tokens": tokens,
            "global_batch_size": count,
            "loss_scale_factor": actor.loss_scale_factor,
        }
        actor.global_batch_info.update(whole)
        now = logprob.clone().requires_grad_()
        advantages = torch.tensor(case["advantages"], dtype=torch.float32).unsqueeze(1) * mask
        policy_loss = core_algos.get_policy_loss_fn(actor.policy_loss.loss_mode)
        loss, _ = policy_loss(
            old_log_prob=old,
            log_prob=now,
            advantages=advantages,
            response_mask=mask.bool(),
            loss_agg_mode=actor.loss_agg_mode,
            config=actor,
        )
        if actor.use_kl_loss:
            kl = core_algos.kl_penalty(now, reference, actor.kl_loss_type)
            loss = loss + actor.kl_loss_coef * core_algos.agg_loss(kl, mask.bool(), actor.loss_agg_mode, **whole)
        loss.backward()
        own = padded(case["gradients"])
        loss_gap = max(loss_gap, abs(loss.item() - case["loss"]))
        gradient_gap = max(gradient_gap, ((now.grad - own).abs().max() / own.abs().max()).item())
    tell(f"loss of {len(values['losses'])} objectives", loss_gap, BOUND)
    tell(f"gradient of {len(values['losses'])} objectives, relative", gradient_gap, BOUND)

    for case in values["rates"]:
        config = config_of(case["arguments"])
        settings = omega_conf_to_dataclass(config.actor_rollout_ref.actor.optim)
        # As verl's trainer does when it knows the steps.
        settings.total_training_steps = config.trainer.total_training_steps
        optimizer = torch.optim.AdamW([torch.nn.Parameter(torch.zeros(1))], lr=settings.lr)
        schedule = FSDPEngine._build_lr_scheduler(SimpleNamespace(optimizer_config=settings, rank=1), optimizer)
        gap = 0.0
        for rate in case["rates"]:
            gap = max(gap, abs(optimizer.param_groups[0]["lr"] - rate) / settings.lr)
            optimizer.step()
            schedule.step()
        tell(f"learning rate, {', '.join(case['changes'])}, {len(case['rates'])} steps", gap, RATE_BOUND)
    return 1 if failed else 0


if __name__ == "__main__":
    with initialize_config_dir(os.path.join(os.path.dirname(verl.__file__), "trainer/config"), version_base=None):
        sys.exit(main(sys.argv[1]))
