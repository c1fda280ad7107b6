"""The lines of TRL's part of the table, of what trl.sh left in its folder: `what: value`."""

import json
import pathlib
import sys

work = pathlib.Path(sys.argv[1])
GAP = "trainer's log-probabilities against the sampler's, nats"


def read(name):
    return json.loads((work / name).read_text())


for name in ("search", "kunlun-baize"):
    for part in read(f"trl-{name}/check/result.json"):
        rows = part["rows"]
        print(
            f"TRL, loop {name}, {part['title']}: {rows['rollouts']} rollouts, "
            f"{rows['loss masks as Forage recorded them']}; ids {rows['token ids as Forage recorded them']} equal, "
            f"rewards to {rows['rewards, largest relative difference']}, groups whole {rows['groups whole']}, "
            f"trainer against sampler {rows[GAP]} nats"
        )
objectives = read("trl-objectives.json")
print(
    f"TRL, loss and gradient of {objectives['objectives']} objectives: "
    f"{objectives['loss']:.1e} and {objectives['gradient']:.1e} of the largest value"
)
for name in ("grpo", "dapo-kl", "dr-grpo"):
    step = read(f"trl-{name}.json")
    kl = f", KL to {step['kl_relative']:.1e} relative" if "kl_relative" in step else ""
    print(f"TRL, one step of {name}: gradient norm × {step['norm_ratio']:.6f}, cosine of the updates {step['update_cosine']:.9f}{kl}")
for name in ("constant", "cosine"):
    steps = read(f"trl-{name}.json")
    print(f"TRL, {name} schedule over {steps['steps']} steps: rates to {steps['rate_difference']:.1e} of the full rate")
resumed = read("trl-resume.json")
print(
    "TRL, gone on with from a checkpoint: "
    f"the same draws and rates, gradient norms to {resumed['largest_norm_difference']:.0e}"
)
adapter = read("trl-adapter.json")
print(
    f"TRL’s adapter in Forage against PEFT: {adapter['tokens']} tokens to {adapter['largest_gap']:.1e} nats "
    f"(it moves them by up to {adapter['adapter_moves']:.2f})"
)
