"""Proves this folder: two small steps of TRL, compared with what Forage recorded of them. See check.sh.

    check.py policy OUT                          a policy that a CPU can run
    check.py train --out OUT --policy DIR ...    under torch.distributed.run, with any number of processes
    check.py compare ROLLOUTS OUT [OUT ...]
"""

import json
import os
import pathlib
import statistics
import sys

STEPS = 2
# Groups of a step: three of them over two processes leave one that spans both.
GROUPS = 3
HELD_OUT = 4
# Checkpoints up to here are run as they are.
MOST_BYTES = 300e6
HERE = pathlib.Path(__file__).resolve().parent


def small_policy(out):
    """The experiment's policy where a CPU can run it, else a random one with its tokenizer. Prints where it is."""
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM

    experiment = json.loads((HERE / "experiment.json").read_text())
    given = os.environ.get("FORAGE_POLICY") or experiment["policy"]["folder"]
    weights = list(pathlib.Path(given).glob("*.safetensors")) if given else []
    if weights and sum(file.stat().st_size for file in weights) <= MOST_BYTES:
        print(given)
        return
    config = AutoConfig.from_pretrained(HERE / experiment["policy"]["tokenizer"])
    config.update(
        {
            "vocab_size": experiment["policy"]["vocabulary"],
            "hidden_size": 64,
            "intermediate_size": 128,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "num_key_value_heads": 2,
            "head_dim": 16,
            "max_window_layers": 2,
            "layer_types": ["full_attention"] * 2,
        }
    )
    torch.manual_seed(0)
    AutoModelForCausalLM.from_config(config, dtype=torch.float32).save_pretrained(out)
    print(out)


def check_batch(batch, group, world):
    """The experiment's batch, made small: whole groups, and as many updates as still divide them."""
    rollouts = GROUPS * group * (2 if GROUPS * group % world else 1)
    updates = batch["updates"] if rollouts % (batch["updates"] * world) == 0 else 1
    own = rollouts // (updates * world)
    fits = not batch["exactly"] or own % batch["micro"] == 0
    return {"rollouts": rollouts, "updates": updates, "micro": batch["micro"], "exactly": batch["exactly"] and fits}


def train_checked(argv):
    import torch
    from safetensors.torch import load_file
    from train import ForageTrainer, build, options_of, read_experiment

    options = options_of(argv)
    experiment = read_experiment()
    world, rank = int(os.environ.get("WORLD_SIZE", "1")), int(os.environ.get("RANK", "0"))
    arguments = experiment["trainer"]["arguments"]
    arguments["batch"] = check_batch(arguments["batch"], experiment["settings"]["groupSize"], world)
    arguments["heldOut"] = {"questions": HELD_OUT, "every": STEPS}
    if pathlib.Path(options.policy).resolve() == (pathlib.Path(options.out).parent / "policy").resolve():
        # An adapter of the real policy does not fit a small one.
        experiment["adapter"] = experiment["policy"]["revision"] = None
    updates = arguments["batch"]["updates"]
    machine = {
        "max_steps": STEPS * updates,
        "logging_steps": updates,
        "save_strategy": "no",
        "use_vllm": "false",
        "use_cpu": "true",
        "bf16": "false",
        "gradient_checkpointing": "false",
        "ddp_backend": "gloo",
    }
    options.dtype = "float32"
    options.set = [f"{key}={value}" for key, value in machine.items()] + options.set
    pathlib.Path(options.out).mkdir(parents=True, exist_ok=True)
    seen = open(pathlib.Path(options.out) / f"seen-{rank}.jsonl", "w")

    class Checked(ForageTrainer):
        """Notes what TRL trains on, where its loss reads it."""

        def _generate_and_score_completions(self, inputs):
            out = super()._generate_and_score_completions(inputs)
            rows = {key: out[key].tolist() for key in ("prompt_ids", "prompt_mask", "completion_ids", "completion_mask", "tool_mask", "advantages")}
            rows["rewards"] = list(self._logs["rewards"]["reward"])[-len(inputs) * world :][rank * len(inputs) : (rank + 1) * len(inputs)]
            rows["rollouts"] = [one["forage"]["rollout"] for one in inputs]
            print(json.dumps({"step": rollouts.step(self) + 1, **rows}), file=seen, flush=True)
            return out

        def _compute_loss(self, model, inputs):
            ids = torch.cat([inputs["prompt_ids"], inputs["completion_ids"]], dim=1)
            attention = torch.cat([inputs["prompt_mask"], inputs["completion_mask"]], dim=1)
            mask = (inputs["completion_mask"] * inputs["tool_mask"]).bool()
            with torch.no_grad():
                logps, _, _ = self._get_per_token_logps_and_entropies(self.model, ids, attention, mask.shape[1])
            gap = (logps - inputs["sampling_per_token_logps"])[mask].abs()
            first = self.state.global_step % self.updates == 0
            print(json.dumps({"gap": gap.max().item() if first and gap.numel() else 0.0, "trained": int(mask.sum())}), file=seen, flush=True)
            return super()._compute_loss(model, inputs)

    trainer = build(options, experiment, Checked)
    rollouts = trainer.rollout_func
    # The server answers an episode that it knows as before: each check has its own.
    rollouts.suffix = f"-check-{world}"
    trainer.train()
    trainer.save_model(pathlib.Path(options.out) / "adapter")
    if trainer.is_world_process_zero():
        trainer.state.save_to_json(str(pathlib.Path(options.out) / "trainer_state.json"))
        moved = load_file(pathlib.Path(options.out) / "adapter" / "adapter_model.safetensors")
        finite = all(torch.isfinite(value).all() for value in moved.values())
        summary = {"world": world, "group": experiment["settings"]["groupSize"], "scaled": trainer.scale_rewards != "none", "finite": finite}
        summary["rates"] = [trainer.schedule["startStep"], trainer.schedule]
        (pathlib.Path(options.out) / "summary.json").write_text(json.dumps(summary))


class Table:
    """What was compared, and whether all of it held."""

    def __init__(self, title):
        self.rows, self.title, self.ok = [], title, True

    def add(self, what, value, holds):
        self.rows.append((what, value, holds))
        self.ok = self.ok and holds

    def print(self):
        print(self.title)
        for what, value, holds in self.rows:
            print(f"  {'ok  ' if holds else 'FAIL'}  {what}: {value}")


def joined(record, of):
    return [value for segment in record["segments"] for value in of(segment)]


def compare_run(records, out):
    import pandas

    from train import rate_at

    summary = json.loads((out / "summary.json").read_text())
    group, world = summary["group"], summary["world"]
    lines = [[json.loads(line) for line in open(out / f"seen-{rank}.jsonl")] for rank in range(world)]
    steps = zip(*([line for line in own if "rollouts" in line] for own in lines), strict=True)
    table = Table(f"{world} process{'es' if world > 1 else ''}")
    ids = masks = policy = whole = True
    environment_tokens = trained_tokens = count = 0
    reward_gap = advantage_gap = 0.0
    for parts in steps:
        rewards, advantages, names = [], [], []
        for part in parts:
            for i, name in enumerate(part["rollouts"]):
                record = records[name]
                prompt = [token for token, kept in zip(part["prompt_ids"][i], part["prompt_mask"][i]) if kept]
                kept = sum(part["completion_mask"][i])
                completion, mask = part["completion_ids"][i][:kept], part["tool_mask"][i][:kept]
                ids = ids and prompt + completion == joined(record, lambda s: s["ids"])
                truth = joined(record, lambda s: [s["mask"]] * len(s["ids"]))
                masks = masks and [0] * len(prompt) + mask == truth
                writers = joined(record, lambda s: [s["source"] == "policy"] * len(s["ids"]))
                policy = policy and all(writer or not trained for writer, trained in zip(writers, truth))
                trained_tokens, environment_tokens = trained_tokens + sum(mask), environment_tokens + kept - sum(mask)
                reward_gap = max(reward_gap, abs(part["rewards"][i] - record["reward"]) / max(1.0, abs(record["reward"])))
                rewards.append(record["reward"])
                advantages.append(part["advantages"][i])
                names.append(name)
        count += len(names)
        for start in range(0, len(names), group):
            own = [records[name] for name in names[start : start + group]]
            whole = whole and len({one["groupId"] for one in own}) == 1 and len({one["seed"] for one in own}) == group
            mean, spread = statistics.fmean(rewards[start : start + group]), statistics.stdev(rewards[start : start + group])
            for place in range(start, start + group):
                expected = (rewards[place] - mean) / (spread + 1e-4 if summary["scaled"] else 1)
                advantage_gap = max(advantage_gap, abs(expected - advantages[place]))
    table.add("rollouts", count, count > 0)
    table.add("token ids as Forage recorded them", "all" if ids else "NOT all", ids)
    table.add("loss masks as Forage recorded them", f"{trained_tokens} tokens trained, {environment_tokens} of the environment masked", masks and policy and trained_tokens > 0)
    table.add("rewards, largest relative difference", f"{reward_gap:.1e}", reward_gap <= 1e-7)
    table.add("groups whole", f"{count // group} of {group} rollouts", whole)
    table.add("advantages by the group, largest difference", f"{advantage_gap:.1e}", advantage_gap <= 1e-5)
    losses = [line for own in lines for line in own if "gap" in line]
    seen = sum(line["trained"] for line in losses)
    table.add("tokens in the loss", seen, seen == trained_tokens)
    gap = max(line["gap"] for line in losses)
    table.add("trainer's log-probabilities against the sampler's, nats", f"{gap:.1e}", gap <= 1e-3)
    log = json.loads((out / "trainer_state.json").read_text())["log_history"]
    start, schedule = summary["rates"]
    rates = [entry["learning_rate"] for entry in log if "learning_rate" in entry]
    expected = [rate_at(schedule, start + step) for step in range(1, STEPS + 1)]
    table.add("learning rates of the steps", rates, len(rates) == STEPS and all(abs(a - b) <= 1e-12 for a, b in zip(rates, expected)))
    held = [json.loads(line) for line in open(out / "held-out.jsonl")] if (out / "held-out.jsonl").exists() else []
    table.add("held-out questions scored", sum(one["n"] for one in held), True)
    tables = sorted((out / "completions").glob("*.parquet"))
    logged = [row for file in tables for row in pandas.read_parquet(file).to_dict("records")]
    same = all(
        list(row["response_ids"]) == joined(records[row["rollout"]], lambda s: s["ids"])[len(row["prompt_ids"]) :]
        and row["completion"][0]["content"] in "".join(segment["text"] for segment in records[row["rollout"]]["segments"])
        for row in logged
    )
    table.add("tables of completions with ids and special tokens", f"{len(logged)} rows", same and len(logged) == count)
    table.add("adapter finite", "yes" if summary["finite"] else "no", summary["finite"])
    table.print()
    return table


def compare(rollouts, outs):
    records = {}
    for line in open(rollouts):
        record = json.loads(line)
        records[record["id"]] = record
    tables = [compare_run(records, pathlib.Path(out)) for out in outs]
    ok = all(table.ok for table in tables)
    result = [{"title": table.title, "ok": table.ok, "rows": {what: value for what, value, _ in table.rows}} for table in tables]
    (pathlib.Path(rollouts).parent / "result.json").write_text(json.dumps(result, indent=2))
    print("all hold" if ok else "some FAIL")
    return 0 if ok else 1


if __name__ == "__main__":
    command, *rest = sys.argv[1:] or ["help"]
    if command == "policy":
        small_policy(rest[0])
    elif command == "train":
        train_checked(rest)
    elif command == "compare":
        sys.exit(compare(rest[0], rest[1:]))
    else:
        sys.exit(__doc__)
