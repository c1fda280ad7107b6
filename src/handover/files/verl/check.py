"""Proves this folder without a GPU. Started by check.sh, part by part:

    policy OUT   a policy that a CPU can run; prints where it is
    config       Hydra takes overrides.txt, verl finds nothing wrong with it
    rows         verl's RLHFDataset reads the parquet files
    worker       verl's AgentLoopWorker, alone
    queue        the way of the trainer: Ray, TransferQueue, AgentLoopManagerTQ
"""
import argparse
import asyncio
import json
import os
import pathlib
import sys
import time
import types
import warnings

warnings.filterwarnings("ignore")

HERE = pathlib.Path(__file__).resolve().parent
# Checkpoints up to here are run as they are.
MOST_BYTES = 300e6
GROUPS, HELD_OUT = 3, 4
REWARD_TOLERANCE, LOGPROB_TOLERANCE = 1e-7, 1e-6


def experiment():
    return json.loads((HERE / "experiment.json").read_text(encoding="utf-8"))


def small_policy(out):
    """The experiment's policy where a CPU can run it, else a random one that speaks its tokens."""
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer

    told = experiment()["policy"]
    given = os.environ.get("FORAGE_POLICY") or told["folder"]
    weights = list(pathlib.Path(given).glob("*.safetensors")) if given else []
    if weights and sum(file.stat().st_size for file in weights) <= MOST_BYTES:
        return given
    config = AutoConfig.from_pretrained(HERE / told["tokenizer"])
    sizes = {
        "vocab_size": told["vocabulary"],
        "hidden_size": 64,
        "intermediate_size": 128,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 16,
        "max_window_layers": 2,
        "layer_types": ["full_attention"] * 2,
    }
    config.update({name: value for name, value in sizes.items() if hasattr(config, name)})
    torch.manual_seed(0)
    AutoModelForCausalLM.from_config(config, dtype=torch.float32).save_pretrained(out)
    AutoTokenizer.from_pretrained(HERE / told["tokenizer"]).save_pretrained(out)
    return out


def compose_config(policy):
    """The trainer's configuration; only what follows from the machine is changed."""
    import verl
    from hydra import compose, initialize_config_dir
    from omegaconf import OmegaConf

    lines = (HERE / "overrides.txt").read_text(encoding="utf-8").split("\n")
    machine = [
        f"actor_rollout_ref.model.path={policy}",
        f"data.train_files={HERE}/train.parquet",
        f"data.val_files={HERE}/val.parquet",
        f"actor_rollout_ref.rollout.agent.agent_loop_config_path={HERE}/agent_loops.yaml",
        "actor_rollout_ref.rollout.agent.num_workers=1",
        "transfer_queue.enable=True",
        "transfer_queue.backend.SimpleStorage.num_data_storage_units=1",
    ]
    folder = os.path.join(os.path.dirname(verl.__file__), "trainer", "config")
    with initialize_config_dir(folder, version_base=None):
        config = compose("ppo_trainer", [line for line in lines if line] + machine)
    OmegaConf.resolve(config)
    return config


def check_config(config):
    from verl.trainer.ppo.utils import need_critic, need_reference_policy
    from verl.utils.config import omega_conf_to_dataclass, validate_config

    name = "verl.workers.rollout.vllm_rollout"
    try:
        import vllm  # noqa: F401
    except ImportError:
        # The last of verl's checks asks vLLM for its largest rank: this one function is stood in for.
        package, utils = types.ModuleType(name), types.ModuleType(f"{name}.utils")
        package.__path__ = []
        utils.get_vllm_max_lora_rank = lambda rank: rank
        sys.modules.update({name: package, f"{name}.utils": utils})
    critic, reference = need_critic(config), need_reference_policy(config)
    validate_config(config=config, use_reference_policy=reference, use_critic=critic)
    actor = omega_conf_to_dataclass(config.actor_rollout_ref.actor)
    told = experiment()["settings"]
    wanted = told["objective"]["kl"]["place"] != "off" and told["objective"]["kl"]["coefficient"] > 0
    assert not critic and bool(reference) == wanted, (critic, reference)
    assert actor.ppo_mini_batch_size * told["updates"] == told["questions"] == config.data.train_batch_size
    lines = sum(1 for _ in open(HERE / "overrides.txt", encoding="utf-8"))
    print(f"config: Hydra takes {lines} overrides, validate_config finds nothing; reference {bool(reference)}, critic {critic}")


def datasets(config):
    from transformers import AutoTokenizer
    from verl.utils.dataset.rl_dataset import RLHFDataset

    tokenizer = AutoTokenizer.from_pretrained(config.actor_rollout_ref.model.path)
    return [RLHFDataset(path, tokenizer, config.data) for path in (config.data.train_files, config.data.val_files)]


def check_rows(config):
    told = experiment()
    train, held_out = datasets(config)
    questions = [json.loads(line) for line in open(HERE / "questions.jsonl", encoding="utf-8")]
    dev = [question for question in questions if question["split"] == "dev"]
    texts = {question["id"]: question["text"] for question in questions}
    assert len(train) == told["trainer"]["rows"], (len(train), told["trainer"]["rows"])
    assert len(held_out) == max(1, len(dev)), (len(held_out), len(dev))
    rows = train.dataframe["extra_info"]
    assert [row["index"] for row in rows] == list(range(len(train)))
    first = told["trainer"]["firstDraw"]
    assert [row["place"] for row in rows] == list(range(first, first + len(train)))
    for i in range(min(100, len(train))):
        row = train[i]
        named = row["extra_info"]["question"]
        assert row["agent_name"] == "forage" and type(row["index"]) is int
        assert named == "" or row["raw_prompt"] == [{"role": "user", "content": texts[named]}]
    for i, question in enumerate(dev):
        assert held_out[i]["extra_info"]["question"] == question["id"] and held_out[i]["extra_info"]["place"] == i
    print(f"rows: RLHFDataset reads {len(train)} draws and {len(held_out)} held-out questions, index unique and whole")


def records_of(path):
    with open(path, encoding="utf-8") as file:
        return {record["id"]: record for record in map(json.loads, file)}


class Compared:
    """Counts what was compared; the first difference ends the check."""

    def __init__(self, rollouts):
        self.records = records_of(rollouts)
        self.rollouts = self.trained = self.environment = 0
        self.worst = 0.0
        self.groups = {}

    def add(self, rollout, prompt, response, mask, logprobs, rewards, group, index):
        record = self.records[rollout]
        segments = record["segments"]
        ids = [i for segment in segments for i in segment["ids"]]
        own = [segment["mask"] for segment in segments for _ in segment["ids"]]
        begin = own.index(1)
        assert prompt + response == ids, f"{rollout}: other tokens"
        assert len(prompt) == begin and mask == own[begin:], f"{rollout}: another mask"
        # verl's rewards are float32, one a token: all of it stands at the last.
        gap = abs(sum(rewards) - record["reward"])
        assert gap <= REWARD_TOLERANCE * max(1.0, abs(record["reward"])), f"{rollout}: reward {sum(rewards)}, recorded {record['reward']}"
        assert rewards[-1] == sum(rewards), f"{rollout}: the reward stands at another token"
        there = [p for segment in segments for p in (segment["logprobs"] if segment["mask"] else [0.0] * len(segment["ids"]))][begin:]
        self.worst = max([self.worst, *(abs(a - b) for a, b in zip(logprobs, there, strict=True))])
        assert self.worst <= LOGPROB_TOLERANCE, f"{rollout}: log-probabilities differ by {self.worst}"
        self.rollouts += 1
        self.trained += sum(mask)
        self.environment += len(mask) - sum(mask)
        self.groups.setdefault(group, []).append((index, record["question"]["id"], record["groupId"]))

    def tell(self, part, size):
        for members in self.groups.values():
            assert sorted(index for index, _, _ in members) == list(range(size)), members
            # One question, and one group in the records too.
            assert len({(question, group) for _, question, group in members}) == 1, members
        print(
            f"{part}: {self.rollouts} rollouts in {len(self.groups)} whole groups: {self.trained} trained and "
            f"{self.environment} environment tokens, all ids, masks and rewards as recorded, log-probabilities to {self.worst:.0e}"
        )


def check_worker(config, policy, rollouts):
    import numpy as np
    from cpu_engine import CpuEngine
    from verl.experimental.agent_loop.agent_loop import AgentLoopWorker
    from verl.protocol import DataProto
    from verl.utils.dataset.rl_dataset import collate_fn

    train, _ = datasets(config)
    size = config.actor_rollout_ref.rollout.n

    async def run():
        worker = AgentLoopWorker(config, CpuEngine(policy))
        batch = DataProto.from_single_dict(collate_fn([train[i] for i in range(min(GROUPS, len(train)))]))
        batch.non_tensor_batch["uid"] = np.array([f"group{i}" for i in range(len(batch))], dtype=object)
        batch = batch.repeat(size, interleave=True)
        batch.non_tensor_batch["session_id"] = np.array([i % size for i in range(len(batch))], dtype=object)
        batch.non_tensor_batch["global_steps"] = np.array([1] * len(batch), dtype=object)
        batch.meta_info["global_steps"] = 1
        return batch, await worker.generate_sequences(batch)

    given, out = asyncio.run(run())
    compared = Compared(rollouts)
    tensors = out.batch
    width = tensors["prompts"].shape[1]
    for i in range(len(out)):
        seen = tensors["attention_mask"][i].bool()
        prompt = tensors["input_ids"][i][:width][seen[:width]].tolist()
        response = tensors["input_ids"][i][width:][seen[width:]].tolist()
        count = len(response)
        assert tensors["response_mask"][i][count:].sum() == 0 and tensors["rm_scores"][i][count:].abs().sum() == 0
        compared.add(
            out.non_tensor_batch["rollout"][i],
            prompt,
            response,
            tensors["response_mask"][i][:count].tolist(),
            tensors["rollout_log_probs"][i][:count].tolist(),
            tensors["rm_scores"][i][:count].tolist(),
            given.non_tensor_batch["uid"][i],
            int(given.non_tensor_batch["session_id"][i]),
        )
    compared.tell("worker", size)


def check_queue(config, policy, rollouts):
    import ray
    import torch

    names = ("PYTHONPATH", "FORAGE_ENVIRONMENT", "FORAGE_TOKEN", "HF_HUB_OFFLINE", "OMP_NUM_THREADS")
    passed = {name: os.environ[name] for name in names if name in os.environ}
    ray.init(
        num_cpus=8,
        include_dashboard=False,
        object_store_memory=200_000_000,
        runtime_env={"env_vars": {"TRANSFER_QUEUE_ENABLE": "1", **passed}},
    )
    import transfer_queue as tq

    tq.init(config.transfer_queue)
    from cpu_engine import CpuEngine
    from verl.trainer.ppo.v1 import AgentLoopManagerTQ
    from verl.utils import tensordict_utils as tu
    from verl.utils.dataset.rl_dataset import collate_fn

    manager = AgentLoopManagerTQ.create(
        config=config, llm_client=CpuEngine(policy), teacher_client=None, reward_loop_worker_handles=None
    )
    train, held_out = datasets(config)
    size = config.actor_rollout_ref.rollout.n
    asked = experiment()["questions"]["heldOut"] > 0

    def through_queue(rows, uids, partition, validate):
        rows = {key: value if isinstance(value, torch.Tensor) else list(value) for key, value in rows.items()}
        batch = tu.get_tensordict(rows | {"uid": uids}, {"global_steps": 1, **({"validate": True} if validate else {})})
        manager.generate_sequences(batch)
        until = time.time() + 600
        while True:
            tags = (tq.kv_list(partition_id=partition) or {}).get(partition, {})
            states = [tags.get(uid, {}).get("status") for uid in uids]
            assert "failure" not in states, "a group failed: see above"
            if all(state == "finished" for state in states):
                break
            assert time.time() < until, f"nothing came in 600 s: {states}"
            time.sleep(1)
        keys = [f"{uid}_{i}_0" for uid in uids for i in range(1 if validate else size)]
        fields = ["prompts", "responses", "response_mask", "rm_scores", "rollout_log_probs", "extra_fields"]
        data = tq.kv_batch_get(keys=keys, partition_id=partition, select_fields=fields)
        compared = Compared(rollouts)
        for i, key in enumerate(keys):
            extra = data["extra_fields"][i]
            extra = getattr(extra, "data", extra)
            uid, index, _ = key.rsplit("_", 2)
            assert "acc" in extra["reward_extra_info"]
            compared.add(
                extra["rollout"],
                *(data[name][i].tolist() for name in ("prompts", "responses", "response_mask", "rollout_log_probs", "rm_scores")),
                uid,
                int(index),
            )
        return compared

    # Draws that the worker before did not ask for, where there are any.
    first = GROUPS if len(train) > GROUPS else 0
    some = [train[i] for i in range(first, min(first + GROUPS, len(train)))]
    through_queue(collate_fn(some), [f"queue{i}" for i in range(len(some))], "train", False).tell("queue", size)
    if asked:
        some = [held_out[i] for i in range(min(HELD_OUT, len(held_out)))]
        held = through_queue(collate_fn(some), [f"held{i}" for i in range(len(some))], "val", True)
        asked = [held.groups[f"held{i}"][0][1] for i in range(len(some))]
        assert asked == [row["extra_info"]["question"] for row in some], asked
        held.tell("queue", 1)
    tq.close()
    ray.shutdown()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=["policy", "config", "rows", "worker", "queue"])
    parser.add_argument("out", nargs="?")
    parser.add_argument("--policy")
    parser.add_argument("--rollouts")
    options = parser.parse_args()
    if options.part == "policy":
        print(small_policy(options.out))
        return
    config = compose_config(options.policy)
    if options.part == "config":
        check_config(config)
    elif options.part == "rows":
        check_rows(config)
    elif options.part == "worker":
        check_worker(config, options.policy, options.rollouts)
    else:
        check_queue(config, options.policy, options.rollouts)


if __name__ == "__main__":
    main()
