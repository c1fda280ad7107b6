import { Button } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { COMMAND_KEY } from '../kit/page/command-key.ts';
import { CHAPTERS, useDeeds, useDoing, type Chapter, type TourStep } from './chapters.ts';
import {
  CHAPTER_IDS,
  closeTour,
  endChapter,
  foldTour,
  goToStep,
  restartTour,
} from './tour-actions.ts';
import './tour.css';
import { useSession } from '../kit/session-store.ts';

/** The chapters, each with a link; seen ones are checked. */
const Contents = () => {
  const chapter = useSession(({ tour }) => tour.chapter);
  const seen = useSession(({ tour }) => tour.seen);
  return (
    <ol className="tour-contents">
      {CHAPTERS.map(({ id, title }, i) => (
        <li key={id}>
          <button
            type="button"
            className="link"
            aria-current={i === chapter ? 'step' : undefined}
            onClick={() => goToStep(i, 0)}
          >
            {seen.includes(id) ? '✓ ' : ''}
            {title}
          </button>
        </li>
      ))}
    </ol>
  );
};

/** A step with its action. Actions can be skipped; afterwards “Next” is highlighted. */
const Step = ({ step, last }: { step: TourStep; last: boolean }) => {
  const [, go] = useLocation();
  const [started, setStarted] = useState(false);
  const chapter = useSession(({ tour }) => tour.chapter);
  const at = useSession(({ tour }) => tour.step);
  const deeds = useDeeds();
  const doing = useDoing();
  // Also true for things done outside the tour.
  const done = step.done === undefined || deeds[step.done];
  const { act } = step;
  // What the action started is under way: the button then leads to it.
  const watch = act?.watch && doing[act.watch.of] ? act.watch : null;
  const next = () => (last ? endChapter(CHAPTER_IDS) : goToStep(chapter, at + 1));
  const begin = () => {
    setStarted(true);
    // Page actions never reject: they report failures on their page.
    void Promise.resolve((watch ?? act)?.run(go)).finally(() => setStarted(false));
  };
  return (
    <>
      <p>{step.text}</p>
      <div className="tour-actions">
        {act ? (
          <Button
            size="xs"
            variant={done && !watch ? 'default' : 'filled'}
            loading={started && !watch}
            onClick={begin}
          >
            {watch ? watch.label : done && act.again ? act.again : act.label}
          </Button>
        ) : null}
        <Button size="xs" variant={done && !watch ? 'filled' : 'default'} onClick={next}>
          {done || watch ? (last ? 'Next chapter' : 'Next') : 'Skip'}
        </Button>
        {chapter > 0 || at > 0 ? (
          <button type="button" className="link" onClick={() => goToStep(...before(chapter, at))}>
            back
          </button>
        ) : null}
      </div>
    </>
  );
};

/** The step in front of one. */
const before = (chapter: number, step: number): [chapter: number, step: number] =>
  step > 0
    ? [chapter, step - 1]
    : [Math.max(0, chapter - 1), Math.max(0, (CHAPTERS[chapter - 1]?.steps.length ?? 1) - 1)];

/** After the last chapter. */
const End = () => (
  <>
    <p>
      That was the whole loop: ask, train, read, see what changed, compare, and the same with your
      own model. All results stay on this device, under Runs, Rollouts and Evaluate.
    </p>
    <div className="tour-actions">
      <Button size="xs" onClick={closeTour}>
        Close
      </Button>
      <button type="button" className="link" onClick={restartTour}>
        from the beginning
      </button>
    </div>
  </>
);

const heading = (chapter: Chapter | undefined, index: number): string =>
  chapter ? `${index + 1} of ${CHAPTERS.length}: ${chapter.title}` : 'The tour is over';

/** On a narrow screen the tour folds when a field of the page is used: the keyboard takes half of the height too. */
const useFoldForFields = (): void => {
  useEffect(() => {
    const narrow = globalThis.matchMedia('(max-width: 760px)');
    const onFocus = ({ target }: FocusEvent) => {
      const field =
        target instanceof Element && target.closest('main :is(input, select, textarea)');
      if (field && narrow.matches) foldTour(true);
    };
    document.addEventListener('focusin', onFocus);
    return () => document.removeEventListener('focusin', onFocus);
  }, []);
};

/** A panel on every page, below it on a narrow screen; it keeps its position between visits. */
export default function Tour() {
  const index = useSession(({ tour }) => tour.chapter);
  const at = useSession(({ tour }) => tour.step);
  const folded = useSession(({ tour }) => tour.folded);
  useFoldForFields();
  const chapter = CHAPTERS[index];
  // A stored position may be from a longer tour.
  const step = chapter?.steps[Math.min(at, chapter.steps.length - 1)];
  return (
    <aside className="tour" aria-label="Guided tour" data-folded={folded}>
      <header>
        <h2>{heading(chapter, index)}</h2>
        <button
          type="button"
          className="link"
          aria-expanded={!folded}
          aria-controls="tour-step"
          onClick={() => foldTour(!folded)}
        >
          {folded ? 'unfold' : 'fold'}
        </button>
        <button
          type="button"
          className="link"
          aria-label="Close the tour; it can be continued later"
          title={`Continue it later: ${COMMAND_KEY}, Guided tour`}
          onClick={closeTour}
        >
          ✕
        </button>
      </header>
      {/* Hidden, not left out: an action may be under way. */}
      <div id="tour-step" hidden={folded}>
        {chapter && step ? (
          <Step key={`${index} ${at}`} step={step} last={at >= chapter.steps.length - 1} />
        ) : (
          <End />
        )}
        <Contents />
      </div>
    </aside>
  );
}
