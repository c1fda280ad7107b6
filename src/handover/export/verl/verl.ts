import { hydraOverrides, mapToVerl } from '../mapping/verl.ts';
import type { ExperimentFile } from '../parts/experiment.ts';
import { textFile, type FolderFile } from '../parts/folder.ts';
import type { QuestionLine, TrainRow } from '../parts/questions.ts';
import type { TrainerExport } from '../parts/trainer.ts';
import { verlParquet, type VerlRow } from './parquet.ts';
import { verlReadme } from './readme.ts';

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
