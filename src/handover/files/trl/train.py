"""Trains the experiment of this folder with TRL's GRPOTrainer.

    accelerate launch --num_processes N train.py
    accelerate launch --num_processes N train.py --resume
    python train.py --set use_vllm=false --set bf16=false

README.md has an N that divides the batch. Prompts, retrieval, masks and rewards are the environment's
(environment.sh); sampling, loss and optimizer are TRL's, with the arguments of experiment.json. Everything goes
to out/.
"""

import argparse
import contextlib
import hashlib
import json
import math
import os
import pathlib
import sys

os.environ.setdefault("TRL_EXPERIMENTAL_SILENCE", "1")

import torch
from accelerate.utils import gather_object
from datasets import Dataset
from peft import LoraConfig, PeftModel
from transformers import AutoModelForCausalLM, AutoTokenizer, Trainer, TrainerCallback
from transformers.trainer_utils import get_last_checkpoint
from trl import GRPOConfig, GRPOTrainer
from trl.models import unwrap_model_for_generation

from forage_environment import Environment, EnvironmentFault
from sampler import Transformers, sampler_of

HERE = pathlib.Path(__file__).resolve().parent


def layout(batch, world):
    """How many rollouts each process puts through the model at a time, and how often it does for one update."""
    own, rest = divmod(batch["rollouts"], batch["updates"] * world)
    if rest:
        raise SystemExit(
            f"{batch['rollouts']} rollouts in {batch['updates']} updates do not divide over {world} processes; "
            "choose another number of processes"
        )
    if batch["exactly"] and own % batch["micro"]:
        raise SystemExit(
            f"a process has {own} rollouts an update, which micro-batches of {batch['micro']} do not divide; "
            "choose fewer processes"
        )
    micro = batch["micro"] if batch["exactly"] else max(n for n in range(1, batch["micro"] + 1) if own % n == 0)
    return {"per_device_train_batch_size": micro, "gradient_accumulation_steps": own // micro}


def rate_at(schedule, step):
    """Learning rate of Forage's step, from 1: a linear warm-up that begins at rate / warmUp, then constant or cosine."""
    rate, warm_up, steps = schedule["rate"], schedule["warmUp"], schedule["steps"]
    if step <= warm_up:
        return rate * step / warm_up
    if schedule["shape"] == "constant":
        return rate
    share = min(1.0, (step - warm_up) / max(1, steps - warm_up))
    return rate * (1 + math.cos(math.pi * share)) / 2


class ForageTrainer(GRPOTrainer):
    """GRPOTrainer at Forage's learning rates, which no schedule of transformers has: theirs begin at 0."""

    schedule = None
    updates = 1

    def create_scheduler(self, num_training_steps, optimizer=None):
        if self.lr_scheduler is None:
            first = self.schedule["startStep"] + 1
            self.lr_scheduler = torch.optim.lr_scheduler.LambdaLR(
                optimizer or self.optimizer,
                lambda update: rate_at(self.schedule, first + update // self.updates) / self.schedule["rate"],
            )
            self._created_lr_scheduler = True
        return self.lr_scheduler


class Rollouts:
    """TRL's `rollout_func` and its reward: Forage's rollouts, sampled by the policy as it is."""

    def __init__(self, experiment, environment, tokenizer):
        self.run, self.start = experiment["runId"], experiment["trainer"]["arguments"]["schedule"]["startStep"]
        self.group = experiment["settings"]["groupSize"]
        self.updates = experiment["trainer"]["arguments"]["batch"]["updates"]
        self.environment, self.tokenizer = environment, tokenizer
        self.prepared, self.sampler, self.suffix = False, None, ""

    def step(self, trainer):
        """Steps of Forage that are whole."""
        return self.start + trainer.state.global_step // self.updates

    @contextlib.contextmanager
    def sampling(self, trainer):
        """The sampler of the policy as it is."""
        self.sampler = self.sampler or sampler_of(trainer, self.tokenizer)
        if self.sampler is not None:
            # No process samples before all have the new weights.
            trainer.accelerator.wait_for_everyone()
            yield self.sampler
            return
        with unwrap_model_for_generation(trainer.model_wrapped, trainer.accelerator) as model:
            training = model.training
            model.eval()
            try:
                yield Transformers(model, self.tokenizer)
            finally:
                model.train(training)

    def __call__(self, prompts, trainer):
        step = self.step(trainer) + 1
        # TRL repeats a prompt for a group in a row over all processes: a group may span two of them.
        first = trainer.accelerator.process_index * len(prompts)
        episodes = []
        for place, prompt in enumerate(prompts, first):
            draw, index = prompt[-1]["draw"], place % self.group
            name = f"{self.run}-{step}-{draw}-{index}{self.suffix}"
            episodes.append({"id": name, "draw": draw, "index": index, "step": step})
        with self.sampling(trainer) as sample:
            if not self.prepared:
                self.environment.prepare(sample)
                self.prepared = True
            results = self.environment.run(episodes, sample)
        scored = all("logprobs" in result for result in results)
        return {
            "prompt_ids": [result["promptIds"] for result in results],
            "completion_ids": [result["completionIds"] for result in results],
            "logprobs": [result["logprobs"] for result in results] if scored else None,
            "env_mask": [result["mask"] for result in results],
            "forage": results,
        }

    def reward(self, prompts, completions, completion_ids, forage, log_extra=None, log_metric=None, **_):
        """The environment's reward. What TRL's tables lack goes into them here."""
        for completion, result in zip(completions, forage, strict=True):
            # TRL decodes without special tokens, and tags may be such.
            completion[0]["content"] = result["completion"]
        log_extra("rollout", [result["rollout"] for result in forage])
        log_extra("question_id", [result["question"] for result in forage])
        log_extra("question", [prompt[-1]["content"] for prompt in prompts])
        log_extra("ground_truth", [prompt[-1]["answers"] for prompt in prompts])
        log_extra("prompt_ids", [result["promptIds"] for result in forage])
        log_extra("response_ids", [list(ids) for ids in completion_ids])
        log_extra("response_tokens", [[self.tokenizer.decode([i]) for i in ids] for ids in completion_ids])
        log_extra("loss_mask", [result["mask"] for result in forage])
        log_extra("logprobs", [result.get("logprobs") for result in forage])
        for name in forage[0]["metrics"]:
            log_metric(f"forage/{name}", sum(result["metrics"][name] for result in forage) / len(forage))
        return [result["reward"] for result in forage]


class HeldOut(TrainerCallback):
    """Scores the held-out sample as Forage does: one rollout a question every so many steps, and after the last."""

    def __init__(self, rollouts, arguments):
        self.rollouts, self.every = rollouts, arguments["heldOut"]["every"]
        self.questions = arguments["heldOut"]["questions"]
        self.steps, self.trainer = arguments["schedule"]["steps"], None

    def on_train_begin(self, args, state, control, **_):
        if state.global_step > 0:
            # Rollouts after a restart are others than those of the process that died.
            self.rollouts.suffix += f"-from-{state.global_step}"

    def on_step_end(self, args, state, control, **_):
        trainer, rollouts = self.trainer, self.rollouts
        step = rollouts.step(trainer)
        whole = state.global_step % rollouts.updates == 0
        if not whole or (step % self.every and step != self.steps):
            return
        count = min(self.questions, rollouts.environment.health["questions"]["heldOut"])
        world, rank = trainer.accelerator.num_processes, trainer.accelerator.process_index
        if count == 0:
            return
        if args.use_vllm:
            trainer.vllm_generation.sync_weights()
            trainer._last_loaded_step = state.global_step
        episodes = [
            {"id": f"{rollouts.run}-held-out-{step}-{n}{rollouts.suffix}", "heldOut": n, "index": 0, "step": step}
            for n in range(rank, count, world)
        ]
        with rollouts.sampling(trainer) as sample:
            results = rollouts.environment.run(episodes, sample) if episodes else []
        every = gather_object([result["metrics"] for result in results])
        means = {f"held_out/{name}": sum(one[name] for one in every) / len(every) for name in every[0]}
        # Not the trainer's own log, which would write its table of completions again; and a log takes back the
        # wish for the one of this step.
        logs = control.should_log
        Trainer.log(trainer, means)
        control.should_log = logs
        if trainer.is_world_process_zero():
            with open(pathlib.Path(args.output_dir) / "held-out.jsonl", "a") as file:
                file.write(json.dumps({"step": step, "n": len(every), **means}) + "\n")


def revision_of(folder):
    """Names the weights of a checkpoint as Forage does: the SHA-256 of its file, or of its shards' in their order."""
    digests = []
    for file in sorted(pathlib.Path(folder).glob("*.safetensors"), key=lambda file: file.name):
        with open(file, "rb") as opened:
            digests.append(hashlib.file_digest(opened, "sha256").hexdigest())
    whole = digests[0] if len(digests) == 1 else hashlib.sha256("\n".join(digests).encode()).hexdigest()
    return whole[:12]


def load_policy(path, experiment, dtype):
    """The checkpoint, with the adapter of this folder where there is one."""
    policy = experiment["policy"]
    if policy["revision"] is not None and os.path.isdir(path) and os.environ.get("RANK", "0") == "0":
        found = revision_of(path)
        if found != policy["revision"]:
            raise SystemExit(f"{path} holds other weights (revision {found}) than the experiment's policy ({policy['revision']})")
    model = AutoModelForCausalLM.from_pretrained(path, dtype=dtype)
    held = model.get_input_embeddings().weight.shape[0]
    if held != policy["vocabulary"]:
        raise SystemExit(f"{path} has a vocabulary of {held}, and the experiment's policy one of {policy['vocabulary']}")
    if experiment["adapter"] is None:
        return model, LoraConfig(**experiment["trainer"]["arguments"]["lora"])
    folder = HERE / experiment["adapter"]["folder"]
    digest = hashlib.sha256((folder / "adapter_model.safetensors").read_bytes()).hexdigest()
    if digest != experiment["adapter"]["digest"]:
        raise SystemExit(f"{folder} holds another adapter than experiment.json names")
    return PeftModel.from_pretrained(model, folder, is_trainable=True), None


def read_experiment():
    return json.loads((HERE / "experiment.json").read_text())


def train_rows():
    """The questions as they are drawn. The draw travels in the message: `rollout_func` is given prompts alone."""
    rows = [json.loads(line) for line in open(HERE / "train.jsonl")]
    return Dataset.from_list(
        [{"prompt": [{"role": "user", "content": row["question"], "draw": row["draw"], "answers": row["answers"]}]} for row in rows]
    )


def value_of(text):
    try:
        return json.loads(text)
    except ValueError:
        return text


def options_of(argv):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--environment", default=os.environ.get("FORAGE_ENVIRONMENT", "http://127.0.0.1:8765"))
    parser.add_argument("--policy", default=os.environ.get("FORAGE_POLICY"), help="checkpoint; experiment.json's folder unless given")
    parser.add_argument("--dtype", default=None, help="what the checkpoint's weights are held in")
    parser.add_argument("--out", default=None)
    parser.add_argument("--resume", action="store_true", help="go on from the last checkpoint in --out")
    parser.add_argument("--set", action="append", default=[], metavar="K=V", help="an argument of GRPOConfig; may be repeated")
    return parser.parse_args(argv)


def build(options, experiment, trainer_class=ForageTrainer):
    """The trainer, ready to train."""
    arguments = experiment["trainer"]["arguments"]
    environment = Environment(options.environment, os.environ.get("FORAGE_TOKEN"))
    environment.expect(experiment["hash"])
    batch = arguments["batch"]
    given = dict(change.split("=", 1) for change in options.set)
    args = GRPOConfig(
        **{
            **arguments["grpo"],
            "generation_batch_size": batch["rollouts"],
            **layout(batch, int(os.environ.get("WORLD_SIZE", "1"))),
            **({"output_dir": options.out} if options.out else {}),
            **{key: value_of(value) for key, value in given.items()},
        }
    )
    tokenizer = AutoTokenizer.from_pretrained(HERE / experiment["policy"]["tokenizer"], padding_side="left")
    path = options.policy or experiment["policy"]["folder"]
    if path is None:
        raise SystemExit("the experiment names no folder of its policy; give --policy")
    model, peft_config = load_policy(path, experiment, options.dtype or arguments["model"]["dtype"])
    rollouts = Rollouts(experiment, environment, tokenizer)
    held_out = HeldOut(rollouts, arguments)
    trainer_class.schedule, trainer_class.updates = arguments["schedule"], batch["updates"]
    trainer = trainer_class(
        model=model,
        reward_funcs=rollouts.reward,
        args=args,
        train_dataset=train_rows(),
        processing_class=tokenizer,
        peft_config=peft_config,
        rollout_func=rollouts,
        callbacks=[held_out],
    )
    held_out.trainer = trainer
    if "ref" in trainer.model.peft_config:
        # TRL's reference is a copy of the adapter; Forage's is the policy without one.
        trainer.model.delete_adapter("ref")
    return trainer


def main(argv=None):
    options = options_of(argv)
    try:
        trainer = build(options, read_experiment())
        out = pathlib.Path(trainer.args.output_dir)
        checkpoint = get_last_checkpoint(out) if options.resume else None
        if options.resume and checkpoint is None:
            raise SystemExit(f"{out} has no checkpoint to go on from")
        trainer.train(resume_from_checkpoint=checkpoint)
    except EnvironmentFault as fault:
        sys.exit(f"forage: {fault}")
    trainer.save_model(out / "adapter")
    if trainer.is_world_process_zero():
        trainer.state.save_to_json(out / "trainer_state.json")


if __name__ == "__main__":
    main()
