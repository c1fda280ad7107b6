import { linesFile, textFile } from './parts/folder.ts';
import { mapToTrl, type TrlArguments } from './mapping/trl.ts';
import type { TrainRow } from './parts/questions.ts';
import type { TrainerExport } from './parts/trainer.ts';
import { FETCH_POLICY, ENVIRONMENT, describeExperiment, differences } from './parts/readme.ts';
import { trlProcesses } from './mapping/processes.ts';
import type { ExperimentFile } from './parts/experiment.ts';

/** Claims that need GPUs; `check.sh` tests none of them. */
const UNVERIFIED = [
  'vLLM ends at `stop_token_ids` and at `stop` with `include_stop_str_in_output`, with special tokens kept',
  'log-probabilities of vLLM (`logprobs_mode=processed_logprobs`) and their gap to the trainer’s',
  'TRL’s synchronisation of the LoRA weights with vLLM, colocated and as a server',
  'the packages of `requirements-vllm.txt` together: vLLM 0.31.0 needs torch 2.13.0',
  'FSDP and DeepSpeed, NCCL, and more than two processes',
  'bf16: how far a bf16 forward is from the float32 of Forage',
  'memory and speed: `vllm_gpu_memory_utilization` 0.3 and micro-batches of up to 8 are guesses',
];

/** `README.md` of a folder for TRL. */
function trlReadme(file: ExperimentFile): string {
  const { trainer } = file;
  const { batch } = trainer.arguments as unknown as TrlArguments;
  const processes = trlProcesses(batch);
  const versions = Object.entries(trainer.versions).map(([name, version]) => `${name} ${version}`);
  return `\
# ${file.runId} on TRL

The same experiment as in Forage: loop, retrieval, rewards, masks, questions and LoRA; sampling, loss and
optimizer are those of TRL's \`GRPOTrainer\`.

${describeExperiment(file)}

## 1. Install

    python3 -m venv venv
    venv/bin/pip install -r requirements.txt          # checks the folder, on any CPU
    venv/bin/pip install -r requirements-vllm.txt     # trains with vLLM on GPUs

${FETCH_POLICY}

## 2. Check

    FORAGE_HOME=/path/to/forage PYTHON=venv/bin/python sh check.sh

Two small steps on the CPU with one process, then with two. Token ids, loss masks, rewards and groups in TRL's
tensors are compared with Forage's records of the same rollouts. A model too large for the CPU is replaced
by a small random one with its tokenizer.

## 3. Serve the environment

${ENVIRONMENT}

## 4. Train

    accelerate launch --num_processes ${processes} train.py
    accelerate launch --num_processes ${processes} train.py --resume

All arguments are in \`experiment.json\` (\`trainer.arguments\`); \`--set K=V\` changes one of \`GRPOConfig\`. Batch
sizes follow from the number of processes; it must divide ${batchWords(file)}.
\`--set use_vllm=false\` samples with transformers, slowly; \`--set vllm_mode=server\` with a \`vllm serve\` that was
started with \`--logprobs-mode processed_logprobs\` and TRL's flags for weight transfer.

Results are in \`out/\`: \`adapter/\` (PEFT), \`trainer_state.json\` (metrics), \`completions/*.parquet\`,
\`held-out.jsonl\`, checkpoints. \`rollouts.jsonl\` next to this file is Forage's own record of every rollout.
To import all of it into Forage, run \`lab adopt DIR\` or drop the folder on *Runs*.

## What differs from Forage's own training

${differences(file)}
- \`held-out\`: scored after the same steps, at the same temperature; the sampled tokens differ.
- seeds of sampling: the environment sends a seed with every request; engines draw other numbers from it.
- \`kl\` and other means in TRL's log are means over micro-batches; Forage's are over tokens. The loss is the same.

## Not verified

These need GPUs and have not been tested:

${UNVERIFIED.map((line) => `- ${line}`).join('\n')}

Made for ${versions.join(', ')}.
`;
}

const batchWords = ({ settings }: ExperimentFile): string =>
  `${settings.questions} × ${settings.groupSize} rollouts in ${settings.updates} update${settings.updates === 1 ? '' : 's'}`;

/** A line of `train.jsonl`; where the environment draws, the text only says which draw it is. */
const trainLine = ({ draw, question }: TrainRow) => ({
  draw,
  id: question?.id ?? null,
  question: question?.text ?? `draw ${draw} of the curriculum`,
  answers: question?.answers ?? [],
});

/** The folder for Hugging Face TRL. */
export const TRL: TrainerExport = {
  map: mapToTrl,
  sources: [
    'trl/requirements.txt',
    'trl/requirements-vllm.txt',
    'trl/train.py',
    'trl/sampler.py',
    'trl/check.sh',
    'trl/check.py',
  ],
  files: ({ file, rows }) => [
    linesFile('train.jsonl', rows.map(trainLine)),
    textFile('README.md', trlReadme(file)),
  ],
};
