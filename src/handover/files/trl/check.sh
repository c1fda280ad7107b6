#!/bin/sh
# Proves this folder on a CPU in minutes: two small steps with one process, then with two, compared with what
# Forage recorded of them. Needs FORAGE_HOME as environment.sh does, and a Python with requirements.txt:
#
#     python3 -m venv venv && venv/bin/pip install -r requirements.txt
#     FORAGE_HOME=/path/to/forage PYTHON=venv/bin/python sh check.sh
set -eu
here=$(cd "$(dirname "$0")" && pwd)
python=${PYTHON:-python3}
work=$here/check
rm -rf "$work"
mkdir -p "$work"
# Threads that wait asleep, so that processes which share few cores do not spin against each other.
export OMP_NUM_THREADS="${OMP_NUM_THREADS:-1}" OMP_WAIT_POLICY=passive TOKENIZERS_PARALLELISM=false HF_HUB_OFFLINE=1

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
url=$(sed -n 's/.*"url":"\([^"]*\)".*/\1/p' "$work/server.json")

cd "$here"
policy=$("$python" check.py policy "$work/policy" 2> "$work/policy.log" | tail -n 1)
for processes in 1 2; do
  echo "two steps with $processes process(es) …"
  "$python" -m torch.distributed.run --standalone --nproc_per_node "$processes" \
    check.py train --environment "$url" --policy "$policy" --out "$work/$processes" \
    > "$work/train-$processes.log" 2>&1 || {
    echo "check.sh: training with $processes process(es) failed:" >&2
    tail -n 30 "$work/train-$processes.log" >&2
    exit 1
  }
done
"$python" check.py compare "$work/rollouts.jsonl" "$work/1" "$work/2"
