import { mapToTrl } from '../mapping/trl.ts';
import type { TrainerExport } from '../trainer.ts';
import { trlReadme } from './readme.ts';
import { textFile } from '../folder.ts';

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
  files: ({ file }) => [textFile('README.md', trlReadme(file))],
};
