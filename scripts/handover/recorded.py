"""Forage's recorded rollouts in the place of the environment: what a trainer is handed without a server."""

import json
import pathlib


def flat(rollout, of):
    """One value a token, segment by segment."""
    return [value for segment in rollout["segments"] for value in of(segment)]


def result_of(rollout):
    """A record `forage.rollout/1` as the environment hands it out, split before the first token of the policy."""
    ids = flat(rollout, lambda s: s["ids"])
    mask = flat(rollout, lambda s: [s["mask"]] * len(s["ids"]))
    logprobs = flat(rollout, lambda s: s["logprobs"] if s["mask"] else [0.0] * len(s["ids"]))
    cut = mask.index(1) if 1 in mask else len(ids) - 1
    return {
        "rollout": rollout["id"],
        "question": rollout["question"]["id"],
        "promptIds": ids[:cut],
        "completionIds": ids[cut:],
        "mask": mask[cut:],
        "logprobs": logprobs[cut:],
        "reward": rollout["reward"],
        "metrics": {"em": rollout["metrics"]["em"]},
        "completion": "".join(segment["text"] for segment in rollout["segments"] if segment["source"] != "prompt"),
    }


class Recorded:
    """The rollouts of one step, by draw and place in the group."""

    def __init__(self, path):
        groups = {}
        for line in open(pathlib.Path(path)):
            rollout = json.loads(line)
            groups.setdefault(rollout["groupId"], []).append(rollout)
        self.groups = list(groups.values())
        self.health = {"questions": {"heldOut": 0}}

    def expect(self, digest):
        pass

    def prepare(self, sample):
        pass

    def run(self, episodes, sample):
        return [result_of(self.groups[one["draw"] % len(self.groups)][one["index"]]) for one in episodes]
