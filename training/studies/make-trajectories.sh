#!/usr/bin/env bash
# Makes the trajectories that signatures-stored learns from, in training/studies/trajectories (3 MB, not in the repository):
# 1,200 rollouts per system, of 300 training questions of the world of seed 11, at temperature 1.
set -euo pipefail
cd "$(dirname "$0")/../.."
mkdir -p training/studies/trajectories
lab() { npm run -s lab -- "$@"; }
rollouts() { lab rollout --recipe "$1" --world-seed 11 --split train --limit 300 --group 4 --temperature 1 --out "$2"; }
raw=$(mktemp -d)
trap 'rm -rf "$raw"' EXIT
made=training/studies/trajectories
rollouts dto "$raw/dto.jsonl"
lab trajectories "$raw/dto.jsonl" --weight none --pairs truncated --out $made/dto-cut.jsonl
lab trajectories "$raw/dto.jsonl" --weight none --pairs truncated --shuffle-pairs 1 --out $made/dto-shuffled.jsonl
rollouts select2reason "$raw/plain.jsonl"
tenth=(--top 0.1 --difficulty 0.25)
lab trajectories "$raw/plain.jsonl" --out $made/select2reason-all.jsonl
lab trajectories "$raw/plain.jsonl" "${tenth[@]}" --out $made/select2reason-tenth.jsonl
lab trajectories "$raw/plain.jsonl" "${tenth[@]}" --drawn 1 --out $made/select2reason-as-many.jsonl
lab trajectories "$raw/plain.jsonl" "${tenth[@]}" --drawn 1 --equal tokens --out $made/select2reason-as-many-tokens.jsonl
