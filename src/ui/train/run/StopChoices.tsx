import { useEffect, useRef } from 'react';
import type { RunRecord } from '../../../lab/contract/records/runs.ts';
import type { TrainProgress } from '../../../lab/contract/training.ts';
import { formatCount, plural } from '../../kit/words/format.ts';
import { Icon } from '../../kit/Icon.tsx';
import { pauseRun, stopRun } from '../store/train-actions.ts';

interface Choice {
  name: string;
  /** What it costs, and how the run can go on. */
  says: string;
  act: () => void;
  disabled?: boolean;
}

/** A run while it trains: the step under way, the last whole one, and the one of the last snapshot. */
interface Where {
  under: number;
  whole: number;
  stored: number;
}

const whereOf = (run: RunRecord, progress: TrainProgress | undefined, made: number): Where => {
  const stored = run.checkpointStep ?? 0;
  const whole = Math.max(made, run.step, stored);
  return { under: Math.max(whole + 1, progress?.step ?? 0), whole, stored };
};

const kept = (whole: number): string =>
  whole === 0
    ? 'No step is whole yet: only the settings stay, and it starts again.'
    : `Kept: ${plural(whole, 'step')} with the adapter as it is after step ${formatCount(whole)}. It can go on from there.`;

/** Ways to end a run that trains, each with what it costs. */
const choicesOf = (run: RunRecord, progress: TrainProgress | undefined, made: number): Choice[] => {
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

/** The one Stop of a run: it opens what can be done, each with its consequences. */
export const StopChoices = (props: {
  run: RunRecord;
  progress: TrainProgress | undefined;
  /** The last step that was made. */
  made: number;
}) => {
  const box = useRef<HTMLDetailsElement>(null);
  const close = () => box.current?.removeAttribute('open');
  useEffect(() => {
    const details = box.current;
    const outside = ({ target }: Event) => {
      if (target instanceof Node && !details?.contains(target)) details?.removeAttribute('open');
    };
    document.addEventListener('pointerdown', outside);
    return () => document.removeEventListener('pointerdown', outside);
  }, [box]);
  return (
    <details
      ref={box}
      className="stop-choices"
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !box.current?.open) return;
        event.stopPropagation();
        close();
        box.current.querySelector('summary')?.focus();
      }}
    >
      <summary>
        <Icon name="stop" size={12} /> Stop …
      </summary>
      <ul aria-label="Ways to stop">
        {choicesOf(props.run, props.progress, props.made).map(({ name, says, act, disabled }) => (
          <li key={name}>
            <button
              type="button"
              className="link"
              disabled={disabled}
              onClick={() => {
                close();
                act();
              }}
            >
              {name}
            </button>
            <p className="fine">{says}</p>
          </li>
        ))}
      </ul>
    </details>
  );
};
