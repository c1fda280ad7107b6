"""Training that is ended and gone on with from its checkpoint asks for the same draws and makes the same updates.

    python trl_resume.py DIR        DIR: what forage-steps.ts wrote of four steps or more

Prints one JSON object, and exits 1 where the two differ.
"""

import json
import pathlib
import shutil
import sys

from transformers.trainer_utils import get_last_checkpoint

import recorded

work = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(work / "folder"))
import train  # noqa: E402

out = work / "resumed"
shutil.rmtree(out, ignore_errors=True)
asked = []


class Watched(recorded.Recorded):
    def run(self, episodes, sample):
        asked.append([(one["draw"], one["index"], one["step"]) for one in episodes])
        return super().run(episodes, sample)


train.Environment = lambda *_: Watched(work / "rollouts.jsonl")
MACHINE = ["use_vllm=false", "use_cpu=true", "bf16=false", "gradient_checkpointing=false", "save_steps=2", "max_steps=4"]
words = ["--out", str(out), "--dtype", "float32", *(word for change in MACHINE for word in ("--set", change))]


def steps_from(checkpoint):
    trainer = train.build(train.options_of(words), train.read_experiment())
    trainer.train(resume_from_checkpoint=checkpoint)
    logs = [entry for entry in trainer.state.log_history if "grad_norm" in entry]
    return [(entry["learning_rate"], entry["grad_norm"]) for entry in logs]


whole, draws = steps_from(None), list(asked)
asked.clear()
# As if it had been killed behind the second step.
shutil.rmtree(out / "checkpoint-4")
again = steps_from(get_last_checkpoint(out))
found = {
    "steps": len(whole),
    "draws_equal": asked == draws[2:],
    "largest_norm_difference": max(abs(a[1] - b[1]) for a, b in zip(whole, again, strict=True)),
    "rates_equal": [rate for rate, _ in whole] == [rate for rate, _ in again],
}
found["ok"] = found["draws_equal"] and found["rates_equal"] and found["largest_norm_difference"] < 1e-9
print(json.dumps(found))
sys.exit(0 if found["ok"] else 1)
