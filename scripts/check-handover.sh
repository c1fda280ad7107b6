#!/bin/sh
# Checks the folders of `lab export` against the trainers themselves, on the CPU, and prints the table of the
# README. Not part of npm test: it installs some 6 GB of Python where FORAGE_PYTHON names no Python that has
# the packages of src/handover/files/*/requirements.txt.
#
#     sh scripts/check-handover.sh [DIR]      DIR: where to work; .cache/handover unless given
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
work=${1:-$root/.cache/handover}
mkdir -p "$work"
work=$(cd "$work" && pwd)

if [ -n "${FORAGE_PYTHON:-}" ]; then
  PYTHON=$FORAGE_PYTHON
else
  PYTHON=$work/venv/bin/python
  if [ ! -x "$PYTHON" ]; then
    echo "installing Python packages in $work/venv …" >&2
    python3 -m venv "$work/venv"
    set --
    for file in "$root"/src/handover/files/*/requirements.txt; do set -- "$@" -r "$file"; done
    "$PYTHON" -m pip install --quiet "$@" faiss-cpu==1.15.1
  fi
fi
export PYTHON
rm -rf "$work/run"
mkdir -p "$work/run"

for part in trl verl faiss; do
  [ -f "$root/scripts/handover/$part.sh" ] || continue
  echo "$part …" >&2
  mkdir -p "$work/run/$part"
  sh "$root/scripts/handover/$part.sh" "$work/run/$part" > "$work/run/$part.txt"
done
echo "| what | found |"
echo "| --- | --- |"
# The first colon parts a line in two.
cat "$work"/run/*.txt | sed -n 's/^\([^:]*\): *\(.*\)$/| \1 | \2 |/p'
