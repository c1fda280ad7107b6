import type { RunRecord } from '../../../lab/contract/records/runs.ts';
import type { TrainProgress } from '../../../lab/contract/training.ts';
import { formatCount, plural } from '../../kit/words/format.ts';
import { pauseRun, stopRun } from '../store/train-actions.ts';
import { StopMenu, type StopChoice } from './StopMenu.tsx';

/** A run while it trains: the step under way, the last whole one, and the one of the last snapshot. */
interface Where {
  under: number;
  whole: number;
  stored: number;
}

const whereOf = (run: RunRecord, progress: TrainProgress | undefined, made: number): Where => {
  const stored = run.checkpointStep ?? 0;
  const under = progress?.step ?? 0;
  // Where no page reads the steps, the one under way tells which came before it.
  const whole = Math.max(made, run.step, stored, under - 1);
  return { under: Math.max(whole + 1, under), whole, stored };
};

/** What stays of a run that is stopped behind a whole step. */
const kept = (whole: number): string =>
  whole === 0
    ? 'No step is whole yet: only the settings stay, and it starts again.'
    : `Kept: ${plural(whole, 'step')} with the adapter as it is after step ${formatCount(whole)}. It can go on from there.`;

/** Ways to end a run that trains, each with what it costs. */
const choicesOf = (
  run: RunRecord,
  progress: TrainProgress | undefined,
  made: number,
): StopChoice[] => {
  const { under, whole, stored } = whereOf(run, progress, made);
  const pausing = progress?.pausing === true;
  const lost = `The step under way, ${formatCount(under)}, is lost.`;
  return [
    {
      name: pausing ? 'Pausing after this step' : 'Pause after this step',
      says: `Step ${formatCount(under)} is finished and stored with a snapshot: nothing is lost.${under < run.settings.steps ? ` It can go on with step ${formatCount(under + 1)}.` : ''}`,
      act: () => void pauseRun(run.id),
      disabled: pausing,
    },
    {
      name: whole === 0 ? 'Stop now' : `Stop now and keep step ${formatCount(whole)}`,
      says: `${lost} ${kept(whole)}`,
      act: () => void stopRun(run.id, true),
    },
    // Only where there are steps behind the snapshot is there something to throw away.
    ...(whole > stored
      ? [
          {
            name:
              stored === 0
                ? 'Stop now and keep nothing'
                : `Stop now, back to the snapshot of step ${formatCount(stored)}`,
            says: `${lost} So ${whole - stored === 1 ? 'is' : 'are'} ${plural(whole - stored, 'step')} after the last snapshot.`,
            act: () => void stopRun(run.id, false),
          },
        ]
      : []),
  ];
};

/** The one Stop of a run. */
export const StopChoices = (props: {
  run: RunRecord;
  progress: TrainProgress | undefined;
  /** The last step that was made. */
  made: number;
  /** Its name in the status bar. */
  inBar?: string;
}) => <StopMenu choices={choicesOf(props.run, props.progress, props.made)} inBar={props.inBar} />;
