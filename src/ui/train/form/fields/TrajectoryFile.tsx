import { FileInput } from '@mantine/core';
import { plural } from '../../../kit/words/format.ts';
import {
  chooseDemonstrations,
  useDemonstrations,
  type Demonstrations,
} from '../../store/demonstrations.ts';

/** Formats of both uses; see docs/formats.md. */
const TITLES = {
  rollouts:
    'Rollouts as the Ask page, lab rollout and lab demonstrations write them: forage.rollout/1, one per line',
  stored:
    'Trajectories with weights or pairs as lab trajectories writes them: forage.trajectories/1',
} as const;

/** What was found in the file, in a line. */
const countsText = (counts: NonNullable<Demonstrations['counts']>): string =>
  [
    plural(counts.all, 'trajectory', 'trajectories'),
    counts.of === 'rollouts' ? `${counts.right} right by EM` : plural(counts.pairs, 'pair'),
  ].join(', ');

/** The file that a cold start imitates, or that stages learn from. */
export const TrajectoryFile = ({ of }: { of: keyof typeof TITLES }) => {
  const { file, counts, problem } = useDemonstrations();
  const other =
    counts && counts.of !== of
      ? of === 'stored'
        ? 'These are rollouts; lab trajectories makes stored trajectories of them.'
        : 'These are stored trajectories; a cold start takes rollouts.'
      : null;
  return (
    <FileInput
      size="xs"
      className="wide"
      label={of === 'rollouts' ? 'Demonstrations' : 'Trajectories'}
      title={TITLES[of]}
      placeholder={of === 'stored' ? '(its own) Choose a .jsonl' : 'Choose a .jsonl of rollouts'}
      accept=".jsonl,application/jsonl,application/x-ndjson"
      clearable
      clearButtonProps={{ 'aria-label': 'Leave the file out' }}
      // What was found is below the field, so that fields of a line stay at one height.
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      value={file}
      error={problem ?? other}
      description={counts ? countsText(counts) : undefined}
      onChange={(next) => void chooseDemonstrations(next)}
    />
  );
};
