import type { NothingLearned } from '../../../learn/run/nothing-learned.ts';
import { skippedWords } from '../../../learn/run/nothing-learned.ts';
import type { TrainStep } from '../../../records/training.ts';
import { formatCount } from '../../kit/words/format.ts';

/** The headline of a run that ended without an update: why, and what to change. */
export const NothingLearnedNote = ({
  nothing: { headline, why, advice, before },
}: {
  nothing: NothingLearned;
}) => (
  <div className="failure" role="alert" data-testid="nothing-learned">
    <b>⚠ {headline}</b>
    <p>{why}</p>
    <ul>
      {advice.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
    {before ? null : (
      <p className="fine">
        The adapter is as it began, so it is not offered for download, for Ask or for export.
      </p>
    )}
  </div>
);

/** While a run trains: that its last step made no update, and how many did not. */
export const SkippedNote = ({ steps }: { steps: readonly TrainStep[] }) => {
  const last = steps.at(-1);
  const words = last && skippedWords(last);
  if (!last || !words) return null;
  const skipped = steps.filter((step) => step.skipped !== undefined).length;
  return (
    <p className="note" data-testid="skipped">
      Step {formatCount(last.step)}: {words}.{' '}
      {skipped > 1 ? `${formatCount(skipped)} of ${formatCount(steps.length)} steps so far.` : ''}
    </p>
  );
};
