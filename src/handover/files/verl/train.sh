#!/bin/sh
# Trains with verl. What depends on the machine is said here; all else stands in overrides.txt.
#
#   sh train.sh [more overrides]          such as: trainer.n_gpus_per_node=4 actor_rollout_ref.rollout.name=sglang
#
# FORAGE_POLICY       folder of the policy's checkpoint, as transformers reads it
# FORAGE_ENVIRONMENT  address of the environment's server (http://127.0.0.1:8765); several with commas between
# FORAGE_TOKEN        its token, where it needs one
set -eu
cd "$(dirname "$0")"
here=$(pwd)
policy=${FORAGE_POLICY:-$("${PYTHON:-python3}" -c 'import json; print(json.load(open("experiment.json"))["policy"]["folder"] or "")')}
if [ ! -f "$policy/config.json" ]; then
  echo "train.sh: set FORAGE_POLICY to the folder of the policy's checkpoint; '$policy' holds no config.json" >&2
  exit 2
fi
export FORAGE_ENVIRONMENT="${FORAGE_ENVIRONMENT:-http://127.0.0.1:8765}"
# Ray hands its workers the environment that it was started with: in a cluster that was started before,
# set PYTHONPATH, FORAGE_ENVIRONMENT and FORAGE_TOKEN at `ray start` too.
export PYTHONPATH="$here${PYTHONPATH:+:$PYTHONPATH}"
# verl empties the file when it goes on from a checkpoint.
if [ -s metrics.jsonl ]; then
  earlier="earlier/$(date +%s)"
  mkdir -p "$earlier"
  mv metrics.jsonl "$earlier/metrics.jsonl"
fi
export VERL_FILE_LOGGER_PATH="$here/metrics.jsonl"
adapter=null
[ -d adapter ] && adapter="$here/adapter"
set -- \
  "actor_rollout_ref.model.path=$policy" \
  "actor_rollout_ref.model.lora_adapter_path=$adapter" \
  "data.train_files=$here/train.parquet" \
  "data.val_files=$here/val.parquet" \
  "actor_rollout_ref.rollout.agent.agent_loop_config_path=$here/agent_loops.yaml" \
  "trainer.default_local_dir=$here/checkpoints" \
  "trainer.rollout_data_dir=$here/rollouts" \
  "trainer.validation_data_dir=$here/held-out" \
  "$@"
while IFS= read -r line; do
  set -- "$line" "$@"
done <overrides.txt
exec "${PYTHON:-python3}" -m verl.trainer.main_ppo "$@"
