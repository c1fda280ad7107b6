import { memo, useMemo, useState } from 'react';
import type { EvaluatedRollout } from '../../../evaluate/systems/result.ts';
import type { Rollout } from '../../../records/rollout.ts';
import { EventCard } from '../../kit/events/EventCard.tsx';
import { firstSeen } from '../../kit/events/parts/support.ts';
import { useAnswer } from '../../kit/use-answer.ts';
import {
  formatCount,
  formatNumber,
  formatSeconds,
  formatShare,
  plural,
} from '../../kit/words/format.ts';
import { evaluationsApi } from '../store/evaluate-actions.ts';

/** What happened in one rollout, a card an event. */
const Timeline = memo(({ rollout }: { rollout: Rollout }) => {
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const seen = useMemo(() => firstSeen(rollout.events), [rollout.events]);
  const toggle = (index: number) =>
    setOpen((before) => {
      const next = new Set(before);
      if (!next.delete(index)) next.add(index);
      return next;
    });
  const show = (index: number) => setOpen((before) => new Set(before).add(index));
  const everything = open.size >= rollout.events.length;
  return (
    <>
      <button
        type="button"
        className="link"
        onClick={() => setOpen(everything ? new Set() : new Set(rollout.events.keys()))}
      >
        {everything ? 'close all' : 'open all'}
      </button>
      <ol className="timeline">
        {rollout.events.map((event, index) => (
          <EventCard
            key={index}
            rollout={rollout}
            index={index}
            event={event}
            gold={rollout.question}
            firstSeen={seen}
            open={open.has(index)}
            ahead={false}
            current={false}
            selected={false}
            onToggle={toggle}
            onEvent={show}
            onPassage={show}
          />
        ))}
      </ol>
    </>
  );
});

/** Whether all, some or none of the chain’s passages came, hop by hop. */
const foundWords = ({ hopsFound, recall }: EvaluatedRollout): string =>
  hopsFound.length > 0
    ? `hops ${hopsFound.map((found) => (found ? '✓' : '✗')).join(' ')}`
    : recall === null
      ? 'no evidence named'
      : `recall ${formatShare(recall)}`;

const Verdict = ({ made }: { made: EvaluatedRollout }) => (
  <>
    <p className="side-answer">
      <span className={made.em === 1 ? 'badge good' : 'badge bad'}>
        {made.em === 1 ? '✓ exact match' : '✗ no exact match'}
      </span>{' '}
      <b>{made.answer ?? 'no answer'}</b>
    </p>
    <p className="fine">
      F1 {formatShare(made.f1)} · {foundWords(made)} · {plural(made.searches, 'search', 'searches')}
      , {formatCount(made.webCalls)} on the web · {formatNumber(made.tokens)} tokens ·{' '}
      {formatSeconds(made.seconds)}
      {made.judge === null ? '' : ` · judge ${made.judge >= 0.5 ? 'right' : 'wrong'}`}
      {made.formatValid ? '' : ' · format broken'}
    </p>
  </>
);

/** One system’s rollout with one seed: what it answered, then what it did. */
const Made = ({ made, read }: { made: EvaluatedRollout; read: () => void }) => {
  const stored = useAnswer(made.rollout, () => evaluationsApi().rollout(made.rollout));
  return (
    <div className="side-rollout" data-rollout={made.rollout}>
      <p className="fine side-seed">
        seed {made.seed}{' '}
        <button type="button" className="link" onClick={read}>
          read whole
        </button>
      </p>
      <Verdict made={made} />
      {stored.state === 'loading' ? <p className="fine">Reading the rollout …</p> : null}
      {stored.state === 'failed' ? (
        <p className="tone-bad">⚠ The rollout could not be read: {stored.message}</p>
      ) : null}
      {stored.state === 'ready' && stored.value === null ? (
        <p className="fine">
          The rollout itself is not stored in this browser; its numbers came with the evaluation. Go
          on with the evaluation to make it again.
        </p>
      ) : null}
      {stored.state === 'ready' && stored.value ? <Timeline rollout={stored.value} /> : null}
    </div>
  );
};

interface SystemColumnProps {
  name: string;
  made: readonly EvaluatedRollout[];
  /** Opens a rollout in the reader. */
  read: (rollout: string) => void;
  close: () => void;
}

/** What a system did on the question, with every seed. */
export const SystemColumn = ({ name, made, read, close }: SystemColumnProps) => (
  <section className="side-column" aria-label={name}>
    <header>
      <h3>{name}</h3>
      <span className="grow" />
      <button type="button" className="link" aria-label={`Close ${name}`} onClick={close}>
        ✕
      </button>
    </header>
    {made.length === 0 ? (
      <p className="fine">Not run on this question yet, or failed; see above.</p>
    ) : (
      made.map((one) => <Made key={one.rollout} made={one} read={() => read(one.rollout)} />)
    )}
  </section>
);
