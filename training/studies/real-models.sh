#!/usr/bin/env bash
# usage: real-models.sh MODEL.gguf DATA
# Teaches SmolLM2-135M-Instruct (Q4_1) to search, then scores it: demonstrations from gold chains, a cold start, RL, the studies.
# DATA holds corpus.jsonl.gz, train.jsonl, dev.jsonl, test.jsonl (questions), and demonstrations.jsonl (others' rollouts) for the second cold start.
# Run it again to resume: finished parts are kept.
# RL and the studies take training/adapters/smollm2-cold-start and smollm2-rl; copy your own last steps there to use these.
set -euo pipefail
model=$(realpath "$1") data=$(realpath "$2")
cd "$(dirname "$0")/../.."
made=training/studies/real-models
mkdir -p $made
ln -sf "$model" $made/SmolLM2-135M-Instruct.Q4_1.gguf
ln -sf "$data"/corpus.jsonl.gz "$data"/test.jsonl $made/
lab() { npm run -s lab -- "$@"; }
loop=(retrieval.k=2 retrieval.passageTokens=100 retrieval.maxSearches=4)
[ -f $made/demonstrations.jsonl ] ||
  lab demonstrations --from gold --policy "$model" --recipe search --corpus "$data/corpus.jsonl.gz" --questions "$data/train.jsonl" \
    "${loop[@]/#/--set=}" --max-tokens 1200 --out $made/demonstrations.jsonl
for split in train dev; do sed "s/^{/{\"split\": \"$split\", /" "$data/$split.jsonl"; done >$made/questions.jsonl
cold_start() { # DEMONSTRATIONS RUN RECIPE [SETTINGS]
  if [ -f $made/$2/latest.json ]; then
    lab train --resume $made/$2 --threads 2
  else
    lab train --policy "$model" --recipe $3 --steps 0 --demonstrations $made/$1.jsonl \
      --corpus "$data/corpus.jsonl.gz" --questions $made/questions.jsonl --out $made/$2 --threads 2 \
      "${loop[@]/#/--set=overrides.}" --set=adapter.rank=16 --set=warmUp.length.updates=88 --set=warmUp.batch=4 \
      --set=warmUp.learningRate=1e-3 --set=warmUp.onlyCorrect=true --set=warmUp.heldOut=0.02 \
      --set=warmUp.questions=0 --set=warmUp.stopAt=null "${@:4}"
  fi
}
cold_start demonstrations cold-start search/grpo
[ -f $made/others.jsonl ] ||
  lab demonstrations --from rollouts "$data/demonstrations.jsonl" --policy "$model" --recipe search \
    "${loop[@]/#/--set=}" --max-tokens 1200 --out $made/others.jsonl
cold_start others cold-start-others search/grpo
# KunLunBaizeRAG over one source: background and searches, nothing to route, and demonstrations without STIE's checks.
[ -f $made/kunlun.jsonl ] ||
  lab demonstrations --from gold --policy "$model" --recipe kunlun-baize --corpus "$data/corpus.jsonl.gz" --questions "$data/train.jsonl" \
    "${loop[@]/#/--set=}" --set=background.k=2 --max-tokens 1400 --out $made/kunlun.jsonl
cold_start kunlun cold-start-kunlun kunlun-baize/whole --set=overrides.background.k=2 --set=overrides.stie.mode=off --set=router.train=off --set=warmUp.own=null
for one in others kunlun; do
  ln -sfn "$(node -p "path.resolve(process.argv[1], JSON.parse(fs.readFileSync(process.argv[1] + '/latest.json')).latest.folder)" $made/cold-start-$one)" $made/$one
done
grep -E '"id": "(2wiki|hotpotqa)-' $made/questions.jsonl >$made/rl-questions.jsonl
if [ -f $made/rl/latest.json ]; then
  lab train --resume $made/rl --threads 2
else
  lab train --policy "$model" --recipe search/grpo --steps 11 --adapter training/adapters/smollm2-cold-start \
    --corpus "$data/corpus.jsonl.gz" --questions $made/rl-questions.jsonl --out $made/rl --threads 2 \
    "${loop[@]/#/--set=overrides.}" --set=adapter.rank=16 --set=stages.0.reward=posterior-ungated --set=questions=4 \
    --set=groupSize=6 --set=optimizer.learningRate=3e-4 --set=optimizer.warmUpSteps=1 --set=heldOut.questions=0
fi
for study in real-models real-models-rl real-models-chat real-models-others real-models-kunlun; do lab study training/studies/$study.json --out $made/results --threads 2; done
# Qwen, with its GGUF file in $made: lab study training/studies/real-models-qwen.json --out $made/results
