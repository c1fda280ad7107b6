#!/bin/sh
# TRL's part of check-handover.sh: PYTHON and a folder to work in are given; prints the lines of its table.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$1
tsx=$root/node_modules/.bin/tsx
lab="$tsx $root/src/cli/main.ts"
handover=$root/scripts/handover
mkdir -p "$work"
export OMP_NUM_THREADS="${OMP_NUM_THREADS:-1}" OMP_WAIT_POLICY=passive HF_HUB_OFFLINE=1

quietly() {
  "$@" > "$work/trl.log" 2>&1 || {
    tail -n 40 "$work/trl.log" >&2
    exit 1
  }
}

# The folder's own proof: the plain loop; then background, probes and router, drawn with noise.
quietly $lab export --to trl --recipe search/grpo --out "$work/trl-search"
quietly $lab export --to trl --recipe kunlun-baize/dapo --without dynamic-sampling --set recipe=kunlun-baize \
  --set curriculum.system='{"id":"kunlun-baize"}' --set groupSize=4 --out "$work/trl-kunlun-baize"
for name in search kunlun-baize; do
  quietly env FORAGE_HOME="$root" PYTHON="$PYTHON" sh "$work/trl-$name/check.sh"
done

quietly "$tsx" "$handover/objective-cases.ts" "$work/trl-cases.json" trl
quietly "$PYTHON" "$handover/trl_objectives.py" "$work/trl-cases.json"
tail -n 1 "$work/trl.log" > "$work/trl-objectives.json"

# One step each: GRPO; DAPO's mean with a KL; Dr. GRPO. Then ten, for the rates.
small="questions=6 groupSize=4"
steps() {
  name=$1
  shift
  quietly "$tsx" "$handover/forage-steps.ts" "$work/trl-$name" "$@"
  quietly "$PYTHON" "$handover/trl_steps.py" "$work/trl-$name"
  tail -n 1 "$work/trl.log" > "$work/trl-$name.json"
}
steps grpo search/grpo trl $small
steps dapo-kl search-r1/grpo trl $small objective.aggregation=token-mean objective.kl.coefficient=0.01
steps dr-grpo search/grpo trl $small objective.estimator=dr-grpo 'objective.aggregation={"constant":512}'
steps constant search/grpo trl questions=2 groupSize=2 steps=10
steps cosine search/grpo trl questions=2 groupSize=2 steps=10 optimizer.schedule=cosine

# Killed behind the second step, and gone on with.
quietly "$PYTHON" "$handover/trl_resume.py" "$work/trl-constant"
tail -n 1 "$work/trl.log" > "$work/trl-resume.json"

# TRL's adapter in Forage, and in PEFT.
quietly $lab evaluate --adapter "$work/trl-grpo/trl/adapter" --temperature 1 --limit 16 --out "$work/trl-evaluated.jsonl"
quietly "$PYTHON" "$handover/peft_logprobs.py" "$root/public/policy" "$work/trl-grpo/trl/adapter" "$work/trl-evaluated.jsonl"
tail -n 1 "$work/trl.log" > "$work/trl-adapter.json"

"$PYTHON" "$handover/trl_table.py" "$work"
