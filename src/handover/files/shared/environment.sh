#!/bin/sh
# Serves the environment of this folder: Forage's agent loop, retrieval and rewards (forage.environment/1).
# FORAGE_HOME: Forage's sources, where `npm ci` was run once. Options go on to `lab serve-environment`.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
if [ -z "${FORAGE_HOME:-}" ] || [ ! -f "$FORAGE_HOME/src/cli/main.ts" ]; then
  echo "environment.sh: set FORAGE_HOME to the folder of Forage's sources" >&2
  exit 2
fi
if [ ! -d "$FORAGE_HOME/node_modules" ]; then
  echo "environment.sh: run 'npm ci' in $FORAGE_HOME first" >&2
  exit 2
fi
exec "$FORAGE_HOME/node_modules/.bin/tsx" "$FORAGE_HOME/src/cli/main.ts" serve-environment \
  --experiment "$here/experiment.json" --rollouts "$here/rollouts.jsonl" "$@"
