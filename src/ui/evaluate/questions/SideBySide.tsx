import { useEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import type { EvaluatedQuestion, EvaluationResult } from '../../../evaluate/systems/result.ts';
import { openEvaluationRollout } from '../store/reading-actions.ts';
import { MOST_SIDE_BY_SIDE } from '../store/evaluate-address.ts';
import { SystemColumn } from './RolloutReading.tsx';

interface SideBySideProps {
  id: string;
  result: EvaluationResult;
  question: EvaluatedQuestion;
  /** Ids of the shown systems, in order. */
  systems: readonly string[];
  show: (systems: readonly string[]) => void;
  close: () => void;
}

/** Which source has the needed passages. */
const SOURCES = { local: 'local only', web: 'web only', both: 'local and web' } as const;

/** Gold answers and facts of the question; imported ones often have none. */
const Facts = ({ question }: { question: EvaluatedQuestion }) => (
  <p className="fine">
    gold {question.answers.join(' / ')} · {question.world}
    {question.type === null ? '' : ` · ${question.type}`}
    {question.hops === null ? '' : ` · ${question.hops} hops`}
    {question.source === null ? '' : ` · needs ${SOURCES[question.source]}`}
  </p>
);

/** One question with the rollouts of several systems side by side. */
export const SideBySide = (props: SideBySideProps) => {
  const { id, result, question, systems, show, close } = props;
  const [, go] = useLocation();
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    // Scrolls into view, because it opens below the grid.
    box.current?.scrollIntoView({ block: 'start' });
    box.current?.focus({ preventScroll: true });
  }, []);
  const full = systems.length >= MOST_SIDE_BY_SIDE;
  const others = result.systems.filter((one) => !systems.includes(one.id));
  return (
    <section
      className="side-by-side"
      aria-label="One question, systems side by side"
      ref={box}
      tabIndex={-1}
    >
      <header className="page-bar">
        <h2>{question.text}</h2>
        <span className="grow" />
        <button type="button" className="link" onClick={close}>
          Close
        </button>
      </header>
      <Facts question={question} />
      {others.length > 0 ? (
        <p className="choice-line">
          <span className="fine">
            {full ? `At most ${MOST_SIDE_BY_SIDE} side by side:` : 'Side by side:'}
          </span>
          {/* At most as many buttons as are readable; use the grid for the others. */}
          {others.slice(0, 80).map((one) => (
            <button
              key={one.id}
              type="button"
              className="choice"
              disabled={full}
              onClick={() => show([...systems, one.id])}
            >
              + {one.title}
            </button>
          ))}
        </p>
      ) : null}
      <div className="side-columns">
        {systems.map((system) => (
          <SystemColumn
            key={`${question.id} ${system}`}
            evaluation={id}
            name={result.systems.find((one) => one.id === system)?.title ?? system}
            made={result.rollouts.filter(
              (one) => one.system === system && one.question === question.id,
            )}
            read={(rollout) => void openEvaluationRollout(id, rollout, go)}
            close={() => show(systems.filter((one) => one !== system))}
          />
        ))}
      </div>
    </section>
  );
};
