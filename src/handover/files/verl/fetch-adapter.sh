#!/bin/sh
# Takes the adapter out of a checkpoint of verl: writes trained/global_step_N, a PEFT folder, which `lab adopt`
# reads.
#
#   sh fetch-adapter.sh [step]       of verl's count; the last one that is saved unless given
#
# The adapter alone is read, in the float32 that it was trained in. `python -m verl.model_merger merge` would
# build the whole model beside it, round the adapter to bfloat16, and drop what stands behind the point of alpha.
set -eu
cd "$(dirname "$0")"
step=${1:-$(cat checkpoints/latest_checkpointed_iteration.txt)}
exec "${PYTHON:-python3}" fetch_adapter.py "checkpoints/global_step_$step/actor" "trained/global_step_$step"
