import { FileInput } from '@mantine/core';
import { useEffect } from 'react';
import { Select } from '../../../kit/Select.tsx';
import { formatDayTime, plural } from '../../../kit/words/format.ts';
import { reloadFiles } from '../../../rollouts/store/browse-actions.ts';
import { fileById, useRollouts } from '../../../rollouts/store/rollouts-store.ts';
import {
  chooseDemonstrations,
  chooseStored,
  holdsDemonstrations,
} from '../../store/demonstrations.ts';
import { useTrainForm, type DemonstrationsFile } from '../../store/train-draft.ts';

/** Formats of both uses; see docs/formats.md. */
const TITLES = {
  rollouts:
    'Rollouts as the Ask page, lab rollout and lab demonstrations write them: forage.rollout/1, one per line',
  stored:
    'Trajectories with weights or pairs as lab trajectories writes them: forage.trajectories/1',
} as const;

/** What was found in the file, in a line. */
const countsText = (counts: NonNullable<DemonstrationsFile['counts']>): string =>
  [
    plural(counts.all, 'trajectory', 'trajectories'),
    counts.of === 'rollouts' ? `${counts.right} right by EM` : plural(counts.pairs, 'pair'),
  ].join(', ');

/** What is said below the field in which the file was chosen. */
const useFound = (of: keyof typeof TITLES) => {
  const { file, stored, counts, problem } = useTrainForm(({ demonstrations }) => demonstrations);
  const other =
    counts && counts.of !== of
      ? of === 'stored'
        ? 'These are rollouts; lab trajectories makes stored trajectories of them.'
        : 'These are stored trajectories; a cold start takes rollouts.'
      : null;
  const reading = (file !== null || stored !== null) && problem === null;
  return {
    error: problem ?? other,
    description: counts ? countsText(counts) : reading ? 'Reading the file …' : undefined,
  };
};

/** A file of this computer. */
const OwnFile = ({ of }: { of: keyof typeof TITLES }) => {
  const file = useTrainForm(({ demonstrations }) => demonstrations.file);
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
      {...useFound(of)}
      onChange={(next) => void chooseDemonstrations(next)}
    />
  );
};

/** Rollout files of this browser that a cold start can imitate, and the way to a file of the computer. */
const StoredFiles = () => {
  const files = useRollouts((state) => state.files);
  const stored = useTrainForm(({ demonstrations }) => demonstrations.stored);
  const found = useFound('rollouts');
  useEffect(() => void reloadFiles(), []);
  const usable = files.filter((file) => file.id === stored || holdsDemonstrations(file));
  if (usable.length === 0 && stored === null) return <OwnFile of="rollouts" />;
  const choose = (id: string): void => {
    const record = fileById({ files }, id);
    void (record ? chooseStored(id, record.name) : chooseDemonstrations(null));
  };
  return (
    <>
      <Select
        size="xs"
        className="wide"
        label="Stored demonstrations"
        title="Files on Rollouts whose rollouts have the tokens of a model"
        value={stored ?? ''}
        data={[
          { value: '', label: 'none: choose a file' },
          ...usable.map(({ id, name, rollouts, importedAt }) => ({
            value: id,
            label: `${name}: ${plural(rollouts, 'rollout')}, ${formatDayTime(importedAt)}`,
          })),
        ]}
        {...(stored === null ? {} : found)}
        onChange={(event) => choose(event.currentTarget.value)}
      />
      {stored === null ? <OwnFile of="rollouts" /> : null}
    </>
  );
};

/** The file that a cold start imitates, or that stages learn from. */
export const TrajectoryFile = ({ of }: { of: keyof typeof TITLES }) =>
  of === 'rollouts' ? <StoredFiles /> : <OwnFile of="stored" />;
