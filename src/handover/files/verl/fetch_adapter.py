"""An FSDP checkpoint of verl → the PEFT folder of its adapter. Started by fetch-adapter.sh."""
import argparse
import json
import os
import sys

import torch
from safetensors.torch import save_file
from torch.distributed.tensor import DTensor

HERE = os.path.dirname(os.path.abspath(__file__))


def shards_of(folder):
    """State of every rank's file, in their order; tensors stay on disk until they are read."""
    with open(os.path.join(folder, "fsdp_config.json"), encoding="utf-8") as file:
        world = json.load(file)["world_size"]
    for rank in range(world):
        path = os.path.join(folder, f"model_world_size_{world}_rank_{rank}.pt")
        # Sharded tensors are objects of their own: the file is one that this trainer wrote.
        yield torch.load(path, map_location="cpu", weights_only=False, mmap=True)


def whole(name, shards):
    """One tensor of its shards."""
    first = shards[0]
    if not isinstance(first, DTensor):
        if any(not torch.equal(first, other) for other in shards[1:]):
            sys.exit(f"{name}: ranks hold different values of what is not sharded; the checkpoint is damaged.")
        return first
    locals_ = [shard._local_tensor for shard in shards]
    placement = first.placements[-1]
    if len(first.placements) > 1:
        # Outer dimensions of the mesh hold copies of the inner one.
        locals_ = locals_[: first.device_mesh.mesh.shape[-1]]
    if placement.is_replicate():
        return locals_[0]
    return torch.cat(locals_, dim=placement.dim)


def adapter_of(folder):
    every = [{key: value for key, value in state.items() if "lora_" in key} for state in shards_of(folder)]
    names = sorted(every[0])
    if not names:
        sys.exit(f"{folder}: the checkpoint holds no adapter.")
    return {
        # FSDP and PEFT add words of their own.
        name.replace("_fsdp_wrapped_module.", "").replace(".default.weight", ".weight"): whole(
            name, [state[name] for state in every]
        )
        .to(torch.float32)
        .contiguous()
        for name in names
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoint")
    parser.add_argument("out")
    options = parser.parse_args()
    with open(os.path.join(HERE, "experiment.json"), encoding="utf-8") as file:
        experiment = json.load(file)
    settings = experiment["settings"]["adapter"]
    tensors = adapter_of(options.checkpoint)
    rank = {tensor.shape[0] for name, tensor in tensors.items() if ".lora_A." in name}
    if rank != {settings["rank"]}:
        sys.exit(f"{options.checkpoint}: ranks {sorted(rank)}, and the experiment's is {settings['rank']}; is it of another one?")
    os.makedirs(options.out, exist_ok=True)
    config = {
        "peft_type": "LORA",
        "task_type": "CAUSAL_LM",
        "base_model_name_or_path": experiment["policy"]["id"],
        "r": settings["rank"],
        "lora_alpha": settings["alpha"],
        "target_modules": settings["targets"],
        "lora_dropout": 0.0,
        "bias": "none",
        "fan_in_fan_out": False,
        "inference_mode": True,
    }
    save_file(tensors, os.path.join(options.out, "adapter_model.safetensors"), metadata={"format": "pt"})
    with open(os.path.join(options.out, "adapter_config.json"), "w", encoding="utf-8") as file:
        json.dump(config, file, indent=2)
    print(f"{options.out}: {len(tensors)} tensors of rank {settings['rank']}")


if __name__ == "__main__":
    main()
