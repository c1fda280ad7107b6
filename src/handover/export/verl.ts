import { hydraOverrides, mapToVerl } from './mapping/verl.ts';
import type { ExperimentFile } from './parts/experiment.ts';
import { textFile, type FolderFile } from './parts/folder.ts';
import type { QuestionLine, TrainRow } from './parts/questions.ts';
import type { TrainerExport } from './parts/trainer.ts';
import { describeExperiment, differences, ENVIRONMENT } from './parts/readme.ts';
import type { SchemaElement } from 'hyparquet';
import { parquetWriteBuffer } from 'hyparquet-writer';

/** Rows as verl's `RLHFDataset` reads them, in parquet. */

/** One row of `train.parquet` or `val.parquet`. */
interface VerlRow {
  /** The user's message; verl only shows it, since the environment writes the prompt. */
  readonly text: string;
  readonly answers: readonly string[];
  readonly split: 'train' | 'dev';
  /** Number of the curriculum's draw, or place in the held-out sample, from 0. */
  readonly place: number;
  /** Id of the question; empty where the environment draws it. */
  readonly question: string;
}

const group = (name: string, children: number): SchemaElement => ({
  name,
  repetition_type: 'REQUIRED',
  num_children: children,
});
const text = (name: string): SchemaElement => ({
  name,
  type: 'BYTE_ARRAY',
  converted_type: 'UTF8',
  repetition_type: 'REQUIRED',
});
/** A list is a group of its own with one repeated group in it (parquet-format, LogicalTypes.md). */
const list = (name: string): SchemaElement[] => [
  { ...group(name, 1), converted_type: 'LIST' },
  { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
];

const SCHEMA: SchemaElement[] = [
  { name: 'root', num_children: 6 },
  text('data_source'),
  text('agent_name'),
  ...list('prompt'),
  group('element', 2),
  text('role'),
  text('content'),
  text('ability'),
  group('reward_model', 2),
  text('style'),
  ...list('ground_truth'),
  text('element'),
  group('extra_info', 4),
  // verl identifies rows by `index`: one type in all of them, and unique.
  { name: 'index', type: 'INT64', repetition_type: 'REQUIRED' },
  text('split'),
  { name: 'place', type: 'INT64', repetition_type: 'REQUIRED' },
  text('question'),
];

/** @param rows at least one: verl opens no empty file */
export function verlParquet(rows: readonly VerlRow[]): Uint8Array<ArrayBuffer> {
  const column = (name: string, of: (row: VerlRow, i: number) => unknown) => ({
    name,
    data: rows.map(of),
  });
  return new Uint8Array(
    parquetWriteBuffer({
      schema: SCHEMA,
      codec: 'UNCOMPRESSED',
      createdBy: 'forage',
      columnData: [
        column('data_source', () => 'forage'),
        column('agent_name', () => 'forage'),
        column('prompt', ({ text: content }) => [{ role: 'user', content }]),
        column('ability', () => 'qa'),
        column('reward_model', ({ answers }) => ({ style: 'rule', ground_truth: [...answers] })),
        column('extra_info', ({ split, place, question }, i) => ({
          index: BigInt(i),
          split,
          place: BigInt(place),
          question,
        })),
      ],
    }),
  );
}

/** `README.md` of a folder for verl. */
function verlReadme(file: ExperimentFile): string {
  const { trainer, runId, adapter, settings } = file;
  const versions = Object.entries(trainer.versions).map(([name, version]) => `${name} ${version}`);
  return `\
# ${runId} on verl

${describeExperiment(file)}

## Environment

${ENVIRONMENT}

Several servers can share the work: start each with \`--shard 0/2\`, \`--shard 1/2\` …, and give all addresses to
\`FORAGE_ENVIRONMENT\` in that order, with commas between them.

## Check

    pip install -r requirements.txt
    FORAGE_HOME=/path/to/forage sh check.sh

checks on a CPU, in minutes, that Hydra accepts \`overrides.txt\`, that verl's \`RLHFDataset\` reads the rows, and that
verl's agent loop workers, directly and through Ray and TransferQueue, return the tokens, masks, log-probabilities and rewards
that the environment recorded, in whole groups.

## Train

    FORAGE_POLICY=/path/to/checkpoint sh train.sh trainer.n_gpus_per_node=${JSON.stringify(trainer.arguments['trainer.n_gpus_per_node'])}

All GPUs together (\`trainer.nnodes\` × \`trainer.n_gpus_per_node\`) must divide the ${(settings.questions / settings.updates) * settings.groupSize} rollouts of an update.

| file | content |
| --- | --- |
| \`overrides.txt\` | every argument that does not depend on the machine, one per line |
| \`train.parquet\` | a row for each draw of the curriculum, in order: ${trainer.rows} |
| \`val.parquet\` | the held-out questions |
| \`agent_loops.yaml\`, \`forage_agent_loop.py\` | the agent loop that asks the environment |
| \`experiment.json\`, \`questions.jsonl\`, \`tokenizer/\` | inputs of the environment |${adapter ? `\n| \`adapter/\` | the adapter that training continues |` : ''}

For SGLang instead of vLLM: \`sh train.sh actor_rollout_ref.rollout.name=sglang\`, with
\`actor_rollout_ref.rollout.skip_tokenizer_init=False\` where the checkpoint spells tags as text.

## Back to Forage

    sh fetch-adapter.sh
    npm run -s lab -- adopt /path/to/this/folder

\`trained/global_step_N\` is then the adapter in PEFT's format. The server's \`rollouts.jsonl\` is the record of all rollouts; verl's own
\`rollouts/\` and \`held-out/\` lose special tokens, and \`metrics.jsonl\` holds what it logged.

## What differs from Forage's own training

${differences(file)}

Tested for all mapped settings: verl's losses and their gradients are Forage's to 1e-6, its advantages too${settings.objective.estimator === 'reinforce++-baseline' ? ', except for the whitening above' : ''}; learning
rates are the same step by step.

## Unverified

These need GPUs and have not been tested:

- vLLM and SGLang end at stop ids and stop texts, and return the log-probabilities of the distribution they sampled from
- the sync of the adapter from trainer to engine
- FSDP over several GPUs, verl's \`fit()\` as a whole, its memory and its speed
- how far bfloat16 in the engine is from the trainer (\`training/rollout_probs_diff\` in verl's metrics)

Made for ${versions.join(', ')}.
`;
}

/** The folder for verl. */
export const VERL: TrainerExport = {
  map: mapToVerl,
  sources: [
    'verl/requirements.txt',
    'verl/forage_agent_loop.py',
    'verl/train.sh',
    'verl/fetch-adapter.sh',
    'verl/fetch_adapter.py',
    'verl/check.sh',
    'verl/check.py',
    'verl/cpu_engine.py',
  ],
  files: (parts) => [
    textFile('overrides.txt', overridesOf(parts.file)),
    textFile('agent_loops.yaml', agentLoops(parts.file)),
    parquetFile('train.parquet', parts.rows.map(trainRow)),
    parquetFile('val.parquet', heldOutRows(parts.questions)),
    textFile('README.md', verlReadme(parts.file)),
  ],
};

/** All but the policy's folder, which `train.sh` finds. */
const overridesOf = ({ trainer, runId }: ExperimentFile): string =>
  hydraOverrides({ ...trainer.arguments, 'trainer.experiment_name': runId });

/** Names the agent loop for `agent_name` of the rows. JSON is YAML. */
const agentLoops = ({ hash, run }: ExperimentFile): string =>
  [
    '- name: forage',
    '  _target_: forage_agent_loop.ForageAgentLoop',
    '  environment: http://127.0.0.1:8765',
    `  hash: ${JSON.stringify(hash)}`,
    `  first_step: ${run?.step ?? 0}`,
    '',
  ].join('\n');

const trainRow = ({ draw, question }: TrainRow): VerlRow => ({
  text: question?.text ?? `draw ${draw} of the environment's curriculum`,
  answers: question?.answers ?? [],
  split: 'train',
  place: draw,
  question: question?.id ?? '',
});

/** verl opens its validation set even where it never asks it: then one row is there. */
function heldOutRows(questions: readonly QuestionLine[]): VerlRow[] {
  const heldOut = questions.filter(({ split }) => split === 'dev');
  return (heldOut.length > 0 ? heldOut : questions.slice(0, 1)).map(
    ({ text, answers, id }, place) => ({ text, answers, split: 'dev', place, question: id }),
  );
}

const parquetFile = (path: string, rows: readonly VerlRow[]): FolderFile => ({
  path,
  content: verlParquet(rows),
  executable: false,
});
