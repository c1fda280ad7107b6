import { useLayoutEffect, useRef, useState, useEffect, useMemo } from 'react';
import { runFromStart } from '../store/actions.ts';
import { formatParameters } from '../../kit/words/format.ts';
import { sum } from '../../../base/statistics.ts';
import recorded from './recording.json';
import type { Recording } from './recording.ts';
import { clock, countRight, type Beat, storyOf } from './story.ts';
import { AnswerMark, SourceMark, TreePicture } from './TreePicture.tsx';
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

type Point = Recording['run']['points'][number];

const CURVE_HEIGHT = 132;
const LEFT = 40;
const RIGHT = 58;
const TOP = 10;
const BOTTOM = 22;
const TICKS = [0, 0.25, 0.5, 0.75, 1];

/** Exact match on held-out questions over the time of the training, up to a point. */
const CurvePicture = (props: {
  points: readonly Point[];
  /** How many of them are drawn. */
  shown: number;
  width: number;
}) => {
  const { points, shown, width } = props;
  const end = points.at(-1)?.seconds ?? 1;
  const x = (seconds: number): number => LEFT + (seconds / end) * (width - LEFT - RIGHT);
  const y = (em: number): number => TOP + (1 - em) * (CURVE_HEIGHT - TOP - BOTTOM);
  const placed = points.map(({ seconds, em }) => [x(seconds), y(em)] as const);
  const pieces = placed.map(([px, py], i) => {
    const [bx, by] = placed[i - 1] ?? [px, py];
    return Math.hypot(px - bx, py - by);
  });
  const length = sum(pieces);
  const drawn = sum(pieces.slice(0, shown));
  const at = points[shown - 1];
  const [dotX, dotY] = placed[shown - 1] ?? [0, 0];
  const minutes = Array.from({ length: Math.floor(end / 30) + 1 }, (_, i) => i * 30);
  return (
    <svg className="hero-curve" width={width} height={CURVE_HEIGHT} aria-hidden="true">
      {TICKS.map((em) => (
        <g key={em}>
          <path className="hero-grid" d={`M${LEFT} ${y(em)}H${width - RIGHT}`} />
          <text x={LEFT - 6} y={y(em) + 4} textAnchor="end">
            {`${em * 100} %`}
          </text>
        </g>
      ))}
      {minutes.map((seconds) => (
        <text key={seconds} x={x(seconds)} y={CURVE_HEIGHT - 6} textAnchor="middle">
          {clock(seconds)}
        </text>
      ))}
      <path
        className="hero-line"
        d={`M${placed.map((point) => point.join(' ')).join('L')}`}
        strokeDasharray={length}
        strokeDashoffset={length - drawn}
      />
      <g className="hero-dot" style={{ transform: `translate(${dotX}px, ${dotY}px)` }}>
        <circle r={4.5} />
        <text x={9} y={4}>
          {at ? `${Math.round(at.em * 100)} %` : ''}
        </text>
      </g>
    </svg>
  );
};

const still = (): boolean =>
  globalThis.matchMedia?.('(prefers-reduced-motion: reduce)').matches ?? false;

/** Ends a pause as soon as the tab is shown again. */
const useShown = (): boolean => {
  const [shown, setShown] = useState(document.visibilityState !== 'hidden');
  useEffect(() => {
    const look = () => setShown(document.visibilityState !== 'hidden');
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, []);
  return shown;
};

/** Plays the recording beat by beat: one timer per beat, none while the tab is hidden. Reduced motion begins at the end. */
const useStory = (recording: Recording) => {
  const beats = useMemo(() => storyOf(recording), [recording]);
  const last = beats.length - 1;
  const [at, setAt] = useState(() => (still() ? last : 0));
  const [paused, setPaused] = useState(false);
  const shown = useShown();
  const beat = beats[at] as Beat;
  useEffect(() => {
    if (paused || !shown || at >= last) return undefined;
    const timer = setTimeout(() => setAt(at + 1), beat.ms);
    return () => clearTimeout(timer);
  }, [at, beat, last, paused, shown]);
  const ended = at >= last;
  return {
    beat,
    at,
    ended,
    paused,
    /** Pauses, continues, or begins again at the end. */
    toggle: () => {
      if (ended) setAt(0);
      setPaused(ended ? false : !paused);
    },
  };
};

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
