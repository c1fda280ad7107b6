#!/bin/sh
# Proves this folder on a CPU in minutes: Hydra's overrides, the rows, and rollouts of verl's own agent loop
# workers compared with what Forage recorded of them. Needs FORAGE_HOME as environment.sh does, and a Python
# with requirements.txt:
#
#     python3 -m venv venv && venv/bin/pip install -r requirements.txt
#     FORAGE_HOME=/path/to/forage PYTHON=venv/bin/python sh check.sh
set -eu
here=$(cd "$(dirname "$0")" && pwd)
python=${PYTHON:-python3}
work=$here/check
rm -rf "$work"
mkdir -p "$work"
export OMP_NUM_THREADS="${OMP_NUM_THREADS:-2}" TOKENIZERS_PARALLELISM=true HF_HUB_OFFLINE=1
# A busy machine is slow to start Ray.
export RAY_raylet_start_wait_time_s="${RAY_raylet_start_wait_time_s:-300}"
export HF_DATASETS_CACHE="$work/datasets" PYTHONPATH="$here${PYTHONPATH:+:$PYTHONPATH}"

sh "$here/environment.sh" --host 127.0.0.1 --port 0 --rollouts "$work/rollouts.jsonl" \
  > "$work/server.json" 2> "$work/server.log" &
server=$!
trap 'kill "$server" 2> /dev/null || true' EXIT
waited=0
until grep -q '"url"' "$work/server.json"; do
  if ! kill -0 "$server" 2> /dev/null || [ "$waited" -ge 180 ]; then
    echo "check.sh: the environment did not start:" >&2
    cat "$work/server.log" >&2
    exit 1
  fi
  sleep 1
  waited=$((waited + 1))
done
FORAGE_ENVIRONMENT=$(sed -n 's/.*"url":"\([^"]*\)".*/\1/p' "$work/server.json")
export FORAGE_ENVIRONMENT

cd "$here"
policy=$("$python" check.py policy "$work/policy" 2> "$work/policy.log" | tail -n 1)
for part in config rows worker queue; do
  "$python" check.py "$part" --policy "$policy" --rollouts "$work/rollouts.jsonl" > "$work/$part.log" 2>&1 || {
    echo "check.sh: $part failed:" >&2
    tail -n 30 "$work/$part.log" >&2
    exit 1
  }
  # verl, Ray and vLLM's absence print much; what is ours begins with the part's name.
  grep "^$part: " "$work/$part.log"
done
