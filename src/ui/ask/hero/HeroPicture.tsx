import { useLayoutEffect, useRef, useState } from 'react';
import { runFromStart } from '../store/actions.ts';
import { formatParameters } from '../../kit/words/format.ts';
import { CurvePicture } from './CurvePicture.tsx';
import recorded from './recording.json';
import type { Recording } from './recording.ts';
import { clock, countRight, type Beat } from './story.ts';
import { AnswerMark, SourceMark, TreePicture } from './TreePicture.tsx';
import { useStory } from './use-story.ts';
import './hero.css';

// `recording.test.ts` checks the file against the schema; the page does not have to.
const recording = recorded as Recording;

/** Width of an element in CSS pixels, as it changes. */
const useWidth = () => {
  const ref = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return undefined;
    const look = () => setWidth(element.clientWidth);
    look();
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { ref, width };
};

/** What the marks mean, for those who do not tell the colours apart too. */
const Legend = () => (
  <ul className="hero-legend" aria-label="Marks">
    {(['local', 'web'] as const).map((source) => (
      <li key={source}>
        <svg width={16} height={16} viewBox="-10 -10 20 20" aria-hidden="true">
          <SourceMark source={source} found={false} />
        </svg>
        {source === 'local' ? 'searches local corpus' : 'searches web'}
      </li>
    ))}
    {[true, false].map((right) => (
      <li key={String(right)}>
        <svg width={16} height={16} viewBox="-9 -9 18 18" aria-hidden="true">
          <AnswerMark right={right} />
        </svg>
        {right ? 'right' : 'wrong'}
      </li>
    ))}
  </ul>
);

const PHASES = { before: 'Before training', train: 'Training', after: 'After training' } as const;

/** Which part of the recording is shown. */
const Phases = ({ phase }: { phase: Beat['phase'] }) => (
  <ol className="hero-phases" aria-label="Parts of the recording">
    {(['before', 'train', 'after'] as const).map((one) => (
      <li key={one} aria-current={one === phase ? 'step' : undefined}>
        {PHASES[one]}
      </li>
    ))}
  </ol>
);

const { run, question, model, before, after } = recording;
const [start] = run.points;
const end = run.points.at(-1);
const percent = (em = 0): string => `${Math.round(em * 100)} %`;

/** All that the pictures say, for those who do not see them. */
const ALT =
  `Recording: ${before.length} rollouts of “${question.text}” before training, ${countRight(before)} right, ` +
  `and after it, ${countRight(after)} right. In between, exact match on ${run.heldOut} held-out questions rises from ` +
  `${percent(start?.em)} to ${percent(end?.em)} in ${clock(end?.seconds ?? 0)} minutes.`;

const DAY = new Date(`${recording.day}T12:00:00Z`).toLocaleDateString('en-GB', {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
});

/** The recorded run, at reading speed: tree, caption, curve. A click asks the question live. */
export default function HeroPicture() {
  const { beat, at, ended, paused, toggle } = useStory(recording);
  const { ref, width } = useWidth();
  const { phase, grown, points, caption, sign } = beat;
  const rollouts = phase === 'after' ? after : before;
  return (
    <figure className="hero" aria-label={ALT} data-beat={at} data-phase={phase} data-ended={ended}>
      <div className="hero-head">
        <b className="hero-question">{question.text}</b>
        <Phases phase={phase} />
      </div>
      <div ref={ref} className="hero-stage" onClick={() => void runFromStart()}>
        {width > 0 ? (
          <TreePicture
            key={phase === 'after' ? 'after' : 'before'}
            rollouts={rollouts}
            grown={grown}
            width={width}
          />
        ) : null}
      </div>
      <p className="hero-caption" data-sign={sign ?? undefined}>
        {caption}
      </p>
      <div className="hero-axis">
        Exact match on {run.heldOut} held-out questions, over minutes of training
      </div>
      <div className="hero-below">
        {width > 0 ? <CurvePicture points={run.points} shown={points} width={width} /> : null}
      </div>
      <div className="hero-foot">
        <Legend />
        <button type="button" className="link" onClick={toggle}>
          {ended ? 'Play again' : paused ? 'Continue' : 'Pause'}
        </button>
      </div>
      <figcaption className="fine">
        A real recording, {DAY}: {model.id} ({formatParameters(model.parameters)} parameters),{' '}
        {run.preset}, {end?.step} steps of {run.questionsPerStep} × {run.groupSize} rollouts, from a
        start that was taught not to search. In the tree, the router picks one source per query.
        Minutes are computing time on {run.cores} CPU cores.
      </figcaption>
    </figure>
  );
}
