import { linesFile, textFile } from '../parts/folder.ts';
import { mapToTrl } from '../mapping/trl.ts';
import type { TrainRow } from '../parts/questions.ts';
import type { TrainerExport } from '../parts/trainer.ts';
import { trlReadme } from './readme.ts';

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
