import { shareInterval } from '../../../base/statistics.ts';
import { useMemo } from 'react';
import { headlineOf, type Headline } from '../../../evaluate/held-out-scores.ts';
import type { HeldOutScore, TrainStep } from '../../../records/training.ts';
import type { RunRecord } from '../../../lab/contract/records/runs.ts';
import { useTrain } from '../store/train-store.ts';
import { Terms } from '../../kit/words/explain/Term.tsx';
import { formatShare, formatSigned, plural, formatAfterStep } from '../../kit/words/format.ts';

type Score = Pick<HeldOutScore, 'em' | 'n' | 'judge'>;

/** As much of a headline as is shown. */
type Shown = Pick<Headline, 'paired'> & Record<'first' | 'last', { step: number; score: Score }>;

/** Wilson’s 95 % interval of a share of n questions. */
const intervalWords = ({ em, n }: Score): string => {
  const [low, high] = shareInterval(em, n);
  return `${formatShare(low)} to ${formatShare(high)}`;
};

/** A difference of shares in points, with its sign. */
const points = (share: number): string => formatSigned(100 * share, 1);

/** Whether the change is clear: by the questions' own changes where they are stored, else by both intervals. */
const changeWords = ({ first, last, paired }: Shown): string => {
  // Single answers of the two scores are not kept: there are no pairs.
  if (!paired) {
    const [, high] = shareInterval(first.score.em, first.score.n);
    const [low] = shareInterval(last.score.em, last.score.n);
    return low > high
      ? 'The intervals do not overlap.'
      : 'The intervals overlap: what single questions got is not kept, so no more can be said.';
  }
  const { gained, lost, change, interval } = paired;
  const changed = `${plural(gained, 'question')} newly right by EM, ${lost} newly wrong: ${points(change)} points, `;
  if (!interval) return `${changed}no interval: one question tells none.`;
  const [low, high] = interval;
  const clear = low > 0 || high < 0 ? '' : ' The interval includes 0: no clear change yet.';
  return `${changed}95 % interval ${points(low)} to ${points(high)}.${clear}`;
};

/** By a judge, and of how many answers: those without a verdict are in no share of it. */
const judgedWords = ({ first, last }: Shown): string | null => {
  const scores = first === last ? [last.score] : [first.score, last.score];
  const by = last.score.judge?.by ?? first.score.judge?.by;
  if (by === undefined) return null;
  const right = scores.map(({ judge }) =>
    judge && judge.right !== null ? `${formatShare(judge.right)} right` : 'no verdict',
  );
  const judged = scores.map(({ judge, n }) => `${judge?.judged ?? 0} of ${n}`);
  return `By the judge, ${by}: ${right.join(' → ')}; answers judged: ${judged.join(' → ')}.`;
};

/** When the first score comes, or why there is none. */
const missingWords = ({
  settings: { heldOut, warmUp, steps },
  world,
  status,
  coldStart,
}: RunRecord): string => {
  if (steps === 0)
    return coldStart?.length
      ? 'A cold start only: its evaluations are below.'
      : 'A cold start only.';
  if (heldOut.questions === 0)
    return 'No held-out score: these settings set no questions aside for it.';
  // A small collection holds fewer out than the settings ask for.
  const count = Math.min(heldOut.questions, world.split?.dev ?? heldOut.questions);
  if (count === 0) return 'No held-out score: this run has no held-out questions.';
  return status === 'running'
    ? `Baseline first: ${plural(count, 'held-out question')} are scored before step 1${warmUp ? ', after the cold start' : ''}.`
    : 'This run has no held-out score.';
};

/** A headline of the score before the first step alone. */
const onlyScore = (seen: Score): Shown => {
  const first = { step: 0, score: seen };
  return { first, last: first, paired: null };
};

/** What the run came to: its held-out EM before the first step and now, with what is known of the change. */
export const RunHeadline = ({ run, steps }: { run: RunRecord; steps: readonly TrainStep[] }) => {
  const known = useMemo(() => headlineOf(steps), [steps]);
  // The first step's record has it; until then it was seen.
  const atStart = useTrain((state) => state.atStart[run.id]);
  const headline: Shown | null = known ?? (atStart ? onlyScore(atStart) : null);
  if (!headline) return <p className="fine headline-none">{missingWords(run)}</p>;
  const { first, last } = headline;
  const single = first === last;
  const judged = judgedWords(headline);
  return (
    <div className="headline" role="group" aria-label="Held-out EM" data-testid="headline">
      <p className="headline-figure">
        <Terms>EM</Terms>{' '}
        {single ? null : (
          <>
            <span className="headline-before">{formatShare(first.score.em)}</span>{' '}
            <span aria-label="to">→</span>{' '}
          </>
        )}
        <b>{formatShare(last.score.em)}</b>
      </p>
      <p className="fine">
        {plural(last.score.n, 'held-out question')}; {formatAfterStep(first.step)}
        {single ? '' : ` → ${formatAfterStep(last.step)}`}; 95 %{' '}
        {single
          ? `interval ${intervalWords(last.score)}`
          : `intervals ${intervalWords(first.score)} → ${intervalWords(last.score)}`}
        . {single ? '' : changeWords(headline)}
      </p>
      {judged === null ? null : (
        <p className="fine" data-testid="judged">
          {judged}
        </p>
      )}
    </div>
  );
};
