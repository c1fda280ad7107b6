import type { EvaluatedRollout } from '../../../evaluate/systems/result.ts';
import { answerOf, outsideOf } from '../../../records/outside-answer.ts';
import { SECONDS_NOTE } from '../../../evaluate/systems/table/measures.ts';
import { WithRecordForks } from '../../ask/siblings/RecordFork.tsx';
import { placeInEvaluation } from '../../ask/siblings/record-place.ts';
import { RoundList } from '../../kit/rounds/RoundList.tsx';
import { useAnswer } from '../../kit/use-answer.ts';
import {
  formatCount,
  formatNumber,
  formatSeconds,
  formatShare,
  plural,
} from '../../kit/words/format.ts';
import { evaluationsApi } from '../store/evaluate-actions.ts';

/** Which passages of the chain were retrieved, per hop. */
const foundWords = ({ hopsFound, recall }: EvaluatedRollout): string =>
  hopsFound.length > 0
    ? `hops ${hopsFound.map((found) => (found ? '✓' : '✗')).join(' ')}`
    : recall === null
      ? 'evidence unknown'
      : `recall ${formatShare(recall)}`;

/** The answer with its scores and costs; the rollout need not be loaded. */
const Verdict = ({ made }: { made: EvaluatedRollout }) => (
  <>
    <p className="side-answer">
      <span className={made.em === 1 ? 'badge good' : 'badge bad'}>
        {made.em === 1 ? '✓ right' : '✗ wrong'}
      </span>{' '}
      <b>{answerOf(made)}</b>
    </p>
    <p className="fine">
      F1 {formatShare(made.f1)} · {foundWords(made)} · {plural(made.searches, 'search', 'searches')}
      , {formatCount(made.webCalls)} on the web · {formatNumber(made.tokens)} tokens ·{' '}
      <span title={SECONDS_NOTE}>{formatSeconds(made.seconds)} on this device</span>
      {made.judge === null ? '' : ` · judge ${made.judge >= 0.5 ? 'right' : 'wrong'}`}
      {made.formatValid ? '' : ' · format broken'}
    </p>
  </>
);

interface MadeProps {
  made: EvaluatedRollout;
  /** Id of the evaluation. */
  evaluation: string;
  /** Opens it in the reader of rollouts. */
  read: () => void;
}

/** One system’s rollout with one seed: its answer, then its events. */
const Made = ({ made, evaluation, read }: MadeProps) => {
  const stored = useAnswer(made.rollout, () => evaluationsApi().rollout(made.rollout));
  const rollout = stored.state === 'ready' ? stored.value : null;
  return (
    <div className="side-rollout" data-rollout={made.rollout}>
      <p className="fine side-seed">
        seed {made.seed}{' '}
        <button type="button" className="link" onClick={read}>
          open rollout
        </button>
      </p>
      {/* Evaluations of an earlier version keep prose only in the rollout. */}
      <Verdict made={{ ...(rollout && outsideOf(rollout)), ...made }} />
      {stored.state === 'loading' ? <p className="fine">Reading the rollout …</p> : null}
      {stored.state === 'failed' ? (
        <p className="tone-bad">⚠ The rollout could not be read: {stored.message}</p>
      ) : null}
      {stored.state === 'ready' && stored.value === null ? (
        <p className="fine">
          Only the numbers of this rollout were imported, not its text. Continue the evaluation to
          run it again.
        </p>
      ) : null}
      {stored.state === 'ready' && stored.value ? (
        <WithRecordForks place={placeInEvaluation(evaluation, made.rollout)}>
          <RoundList rollout={stored.value} />
        </WithRecordForks>
      ) : null}
    </div>
  );
};

interface SystemColumnProps {
  /** Id of the evaluation. */
  evaluation: string;
  name: string;
  made: readonly EvaluatedRollout[];
  /** Opens a rollout in the reader. */
  read: (rollout: string) => void;
  close: () => void;
}

/** A system’s rollouts on the question, with every seed. */
export const SystemColumn = ({ evaluation, name, made, read, close }: SystemColumnProps) => (
  <section className="side-column" aria-label={name}>
    <header>
      <h3>{name}</h3>
      <span className="grow" />
      <button type="button" className="link" aria-label={`Close ${name}`} onClick={close}>
        ✕
      </button>
    </header>
    {made.length === 0 ? (
      <p className="fine">Not run yet, or failed (see above).</p>
    ) : (
      made.map((one) => (
        <Made key={one.rollout} made={one} evaluation={evaluation} read={() => read(one.rollout)} />
      ))
    )}
  </section>
);
