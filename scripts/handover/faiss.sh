#!/bin/sh
# FAISS's part of check-handover.sh: PYTHON and a folder to work in are given; prints the lines of its table.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$1
"$root/node_modules/.bin/tsx" "$root/scripts/handover/faiss-values.ts" "$work"
"$PYTHON" "$root/scripts/handover/faiss_check.py" "$work"
"$root/node_modules/.bin/tsx" "$root/src/cli/main.ts" export --index faiss --out "$work/faiss" 2> "$work/faiss.log"
"$PYTHON" "$work/faiss/search.py" --check
