#!/bin/sh
# verl's part of check-handover.sh: PYTHON and a folder to work in are given; prints the lines of its table.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$1
lab="$root/node_modules/.bin/tsx $root/src/cli/main.ts"
quietly() {
  "$@" > "$work/verl.log" 2>&1 || {
    tail -n 30 "$work/verl.log" >&2
    exit 1
  }
}
export OMP_NUM_THREADS="${OMP_NUM_THREADS:-2}" HF_HUB_OFFLINE=1

for recipe in search/grpo kunlun-baize/dapo; do
  folder=$work/verl-$(basename "$recipe")
  quietly $lab export --to verl --recipe "$recipe" --steps 10 --out "$folder"
  FORAGE_HOME=$root sh "$folder/check.sh" | sed "s|^|verl $recipe, |"
done

"$root/node_modules/.bin/tsx" "$root/scripts/handover/verl-values.ts" > "$work/verl-values.json"
"$PYTHON" "$root/scripts/handover/verl_objective.py" "$work/verl-values.json" 2> "$work/verl.log"

adapter="$PYTHON $root/scripts/handover/verl_adapter.py"
quietly $adapter make "$folder"
quietly $adapter merged "$folder"
quietly sh "$folder/fetch-adapter.sh"
$adapter whole "$folder" 2> "$work/verl.log"
for name in trained/global_step_2 merged/lora_adapter; do
  rm -f "$work/evaluated.jsonl"
  quietly $lab evaluate --adapter "$folder/$name" --temperature 1 --limit 12 --out "$work/evaluated.jsonl"
  $adapter compare "$folder" "$folder/$name" "$work/evaluated.jsonl" 2> "$work/verl.log"
done
