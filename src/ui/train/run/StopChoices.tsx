import type { RunRecord } from '../../../lab/contract/records/runs.ts';
import type { TrainPhase, TrainProgress } from '../../../lab/contract/training.ts';
import { formatCount, plural } from '../../kit/words/format.ts';
import { pauseRun, stopRun } from '../store/train-actions.ts';
import { isPrepared } from './run-words.ts';
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

/** What is made before the first step: when a pause comes, and what of it stays when the run is stopped at once. */
const BEFORE_STEPS: Partial<
  Record<TrainPhase, { pause: string; kept: (done: number, total: number) => string }>
> = {
  measuring: {
    pause: 'It pauses before step 1, once this device is measured.',
    kept: () => '',
  },
  demonstrations: {
    pause: 'It pauses once these trajectories are made, before it learns from them.',
    kept: () => '',
  },
  'warm-up': {
    pause:
      'The update under way is finished; finished updates are kept, and the run can continue from there.',
    kept: (done, total) => `${done} of ${plural(total, 'update')} of the cold start`,
  },
  'scoring-questions': {
    pause:
      'The questions under way are scored; all scores are kept, and the run can continue from there.',
    kept: (done, total) => `the scores of ${done} of ${plural(total, 'question')}`,
  },
  'make-start': {
    pause: 'It pauses before step 1; the handicapped start is made again when it continues.',
    kept: () => '',
  },
};

/** What stays of a run that is stopped before its first step is whole. */
const keptBefore = (run: RunRecord, progress: TrainProgress | undefined): string => {
  const before = progress && BEFORE_STEPS[progress.phase];
  const now = progress && progress.done > 0 ? before?.kept(progress.done, progress.total) : '';
  if (now) return `What is under way is lost. Kept: ${now}. The run can continue from there.`;
  const lost = before ? 'What is under way is lost.' : 'The step under way, 1, is lost.';
  return isPrepared(run)
    ? `${lost} Kept: what was made before that. The run can continue from there.`
    : `${lost} No step is whole yet: only the settings stay, and it starts again.`;
};

/** What is lost and what stays of a run that is stopped at once. */
const stopped = (
  run: RunRecord,
  progress: TrainProgress | undefined,
  { under, whole }: Where,
): string =>
  whole === 0
    ? keptBefore(run, progress)
    : `${lostStep(under)} Kept: ${plural(whole, 'step')} with the adapter as it is after step ${formatCount(whole)}. The run can continue from there.`;

const lostStep = (under: number): string => `The step under way, ${formatCount(under)}, is lost.`;

/** Ways to end a run that trains, each with what it costs. */
const choicesOf = (
  run: RunRecord,
  progress: TrainProgress | undefined,
  made: number,
): StopChoice[] => {
  const where = whereOf(run, progress, made);
  const { under, whole, stored } = where;
  const pausing = progress?.pausing === true;
  const before = progress && BEFORE_STEPS[progress.phase];
  return [
    {
      name: before
        ? pausing
          ? 'Pausing before the first step'
          : 'Pause before the first step'
        : pausing
          ? 'Pausing after this step'
          : 'Pause after this step',
      says: before
        ? before.pause
        : `Step ${formatCount(under)} is finished and stored with a snapshot: nothing is lost.${under < run.settings.steps ? ` The run can continue with step ${formatCount(under + 1)}.` : ''}`,
      act: () => void pauseRun(run.id),
      disabled: pausing,
    },
    {
      name: whole === 0 ? 'Stop now' : `Stop now and keep step ${formatCount(whole)}`,
      says: stopped(run, progress, where),
      act: () => void stopRun(run.id, true),
    },
    // Only where there are steps after the snapshot is there something to throw away.
    ...(whole > stored
      ? [
          {
            name:
              stored === 0
                ? 'Stop now and keep nothing'
                : `Stop now, back to the snapshot of step ${formatCount(stored)}`,
            says: `${lostStep(under)} So ${whole - stored === 1 ? 'is' : 'are'} ${plural(whole - stored, 'step')} after the last snapshot.`,
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
