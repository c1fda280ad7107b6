import type { ExperimentFile } from '../experiment.ts';
import { describeExperiment, differences, ENVIRONMENT } from '../readme.ts';

/** `README.md` of a folder for TRL. */
export function trlReadme(file: ExperimentFile): string {
  const { trainer } = file;
  const versions = Object.entries(trainer.versions).map(([name, version]) => `${name} ${version}`);
  return `\
# ${file.runId} on TRL

${describeExperiment(file)}

## Environment

${ENVIRONMENT}

## What differs from Forage's own training

${differences(file)}

Made for ${versions.join(', ')}.
`;
}
