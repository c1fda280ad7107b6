"""Adapters on their way back from verl.

    python scripts/handover/verl_adapter.py make FOLDER   a checkpoint as verl's FSDP trainer saves it, in FOLDER
    python scripts/handover/verl_adapter.py merged FOLDER  verl's own merger over it, in FOLDER/merged/lora_adapter
    python scripts/handover/verl_adapter.py whole FOLDER   trained/, which fetch-adapter.sh wrote, against both
    python scripts/handover/verl_adapter.py compare FOLDER ADAPTER ROLLOUTS
                                                           PEFT's log-probabilities for rollouts of Forage with it

FOLDER is an export for verl. The adapter has random factors, large enough to move probabilities.
"""
import json
import pathlib
import sys
import warnings

warnings.filterwarnings("ignore")

import torch
from peft import LoraConfig, PeftModel, get_peft_model
from safetensors.torch import load_file
from torch.distributed.tensor import Shard, distribute_tensor
from transformers import AutoModelForCausalLM, AutoTokenizer


BOUND = 1e-4
STEP = "global_step_2"
# Processes that a checkpoint is of.
WORLD = 2


def save_shard(rank, state, actor):
    """What FSDPCheckpointManager writes of one process: every tensor cut along its first dimension."""
    store = torch.distributed.FileStore(f"{actor}/store", WORLD)
    torch.distributed.init_process_group("gloo", store=store, rank=rank, world_size=WORLD)
    mesh = torch.distributed.device_mesh.init_device_mesh("cpu", (WORLD,), mesh_dim_names=("fsdp",))
    shards = {name: distribute_tensor(tensor, mesh, [Shard(0)]) for name, tensor in state.items()}
    torch.save(shards, f"{actor}/model_world_size_{WORLD}_rank_{rank}.pt")
    torch.distributed.destroy_process_group()


def make(folder):
    experiment = json.loads((folder / "experiment.json").read_text())
    settings, policy = experiment["settings"]["adapter"], experiment["policy"]["folder"]
    model = AutoModelForCausalLM.from_pretrained(policy, dtype=torch.float32)
    torch.manual_seed(3)
    # As verl's FSDPEngine does.
    model = get_peft_model(
        model,
        LoraConfig(
            task_type="CAUSAL_LM",
            r=settings["rank"],
            lora_alpha=settings["alpha"],
            target_modules=settings["targets"],
            bias="none",
        ),
    )
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "lora_B" in name:
                parameter.normal_(std=0.02)
    model.save_pretrained(folder / "truth")
    actor = folder / "checkpoints" / STEP / "actor"
    (actor / "huggingface").mkdir(parents=True, exist_ok=True)
    (actor / "fsdp_config.json").write_text(json.dumps({"FSDP_version": 2, "world_size": WORLD}))
    torch.multiprocessing.spawn(save_shard, (model.state_dict(), str(actor)), nprocs=WORLD)
    (actor / "lora_train_meta.json").write_text(
        json.dumps({"r": settings["rank"], "lora_alpha": int(settings["alpha"]), "task_type": "CAUSAL_LM"})
    )
    model.config.save_pretrained(actor / "huggingface")
    AutoTokenizer.from_pretrained(policy).save_pretrained(actor / "huggingface")
    (folder / "checkpoints" / "latest_checkpointed_iteration.txt").write_text("2")


def merged(folder):
    from verl.model_merger.base_model_merger import ModelMergerConfig
    from verl.model_merger.fsdp_model_merger import FSDPModelMerger

    actor = folder / "checkpoints" / STEP / "actor"
    FSDPModelMerger(
        ModelMergerConfig(
            operation="merge",
            backend="fsdp",
            local_dir=str(actor),
            hf_model_config_path=str(actor / "huggingface"),
            target_dir=str(folder / "merged"),
        )
    ).merge_and_save()


def whole(folder):
    """Exits 1 where trained/ is not to the bit what the shards were cut from."""
    truth, fetched, rounded = (
        load_file(folder / path / "adapter_model.safetensors") for path in ("truth", f"trained/{STEP}", "merged/lora_adapter")
    )
    good = truth.keys() == fetched.keys() and all(torch.equal(truth[name], fetched[name]) for name in truth)
    away = max((truth[name] - rounded[name].float()).abs().max().item() for name in truth)
    print(
        f"verl, adapter of {WORLD} shards: fetch-adapter.sh gives {len(fetched)} tensors, all bits as trained; "
        f"verl's merger rounds them by up to {away:.1e}: {'ok' if good else 'FAILED'}"
    )
    return 0 if good else 1


@torch.no_grad()
def compare(folder, adapter, rollouts):
    """Exits 1 where a trained token differs by more than the bound, nats."""
    policy = json.loads((folder / "experiment.json").read_text())["policy"]["folder"]
    base = AutoModelForCausalLM.from_pretrained(policy, dtype=torch.float32)
    model = PeftModel.from_pretrained(base, adapter).eval()
    tokens = worst = moved = 0
    for line in open(rollouts, encoding="utf-8"):
        record = json.loads(line)
        temperature = record["policy"]["logprobsOf"]["temperature"]
        ids = [i for segment in record["segments"] for i in segment["ids"]]
        own = [p for s in record["segments"] for p in (s["logprobs"] if s["mask"] else [None] * len(s["ids"]))]

        def scores():
            logits = model(torch.tensor([ids])).logits[0, :-1].double() / temperature
            return logits.log_softmax(-1).gather(1, torch.tensor(ids[1:]).unsqueeze(1)).squeeze(1)

        there = scores()
        with model.disable_adapter():
            without = scores()
        for i, value in enumerate(own[1:]):
            if value is None:
                continue
            tokens += 1
            worst = max(worst, abs(there[i].item() - value))
            moved = max(moved, abs(there[i].item() - without[i].item()))
    good = worst <= BOUND and tokens > 0 and moved > 100 * BOUND
    print(
        f"verl, adapter {pathlib.Path(adapter).name}: {tokens} tokens, PEFT and Forage differ by {worst:.1e} nats at most (bound {BOUND:.0e}); "
        f"it moves them by up to {moved:.1e}: {'ok' if good else 'FAILED'}"
    )
    return 0 if good else 1


if __name__ == "__main__":
    what, folder, *rest = sys.argv[1:]
    sys.exit({"make": make, "merged": merged, "whole": whole, "compare": compare}[what](pathlib.Path(folder).resolve(), *rest))
