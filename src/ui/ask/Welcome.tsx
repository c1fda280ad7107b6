import { Button } from '@mantine/core';
import { useMemo } from 'react';
import type { QuestionRow } from '../../lab/contract/ask.ts';
import { examplesOf } from './store/examples.ts';
import { ask, isAsked, runFromStart } from './store/actions.ts';
import { useLab } from '../lab/lab-store.ts';
import { plural } from '../kit/words/format.ts';
import { Terms } from '../kit/words/explain/Term.tsx';
import { Sign } from '../kit/events/Sign.tsx';
import { useRun } from './store/run-store.ts';
import { useSetup } from '../setup/setup-store.ts';
import { openTour } from '../tour/store/tour-store.ts';
import { WillAskWith } from './notes/AskedWith.tsx';
import { BuiltInReaderNote } from './notes/BuiltInReaderNote.tsx';
import { QuestionNameCheck } from './notes/QuestionNameCheck.tsx';
import { openSetup, useView } from './store/view-store.ts';
import { LoadingList } from '../lab/Loading.tsx';

/** What the icons of a timeline mean, in their usual order. */
const SIGNS = [
  [['background'], 'background', 'passages found for the question itself'],
  [['think'], 'think', 'the model says what it looks for'],
  [['search'], 'search', 'the query that it writes'],
  [['local', 'web'], 'route', 'local corpus or web, with the odds'],
  [['passages'], 'passages', 'the passages found, with scores'],
  [['candidates'], 'candidates', 'answers probed so far'],
  [['kept', 'refused'], 'verdict', 'kept, refused or replaced, and why'],
  [['answer'], 'answer', 'beside gold, with EM and F1'],
] as const;

const Signs = () => (
  <dl className="signs">
    {SIGNS.map(([signs, name, text]) => (
      <div key={name}>
        <dt>
          <span aria-hidden="true">
            {signs.map((sign) => (
              <Sign key={sign} sign={sign} />
            ))}
          </span>{' '}
          {name}
        </dt>
        <dd>
          <Terms>{text}</Terms>
        </dd>
      </div>
    ))}
  </dl>
);

/** What a click asks and runs. */
const Examples = () => {
  const rows = useLab((state) => state.questions);
  const examples = useMemo(() => examplesOf(rows), [rows]);
  const run = (row: QuestionRow) => {
    ask({ kind: 'world', id: row.id });
    void runFromStart();
  };
  // The button above runs one of them.
  if (examples.length < 2) return null;
  return (
    <section className="welcome-examples">
      <p className="fine">Try one:</p>
      <ul className="examples">
        {examples.map((row) => (
          <li key={row.id}>
            <button type="button" className="link" onClick={() => run(row)}>
              {row.text}
            </button>{' '}
            <span className="fine">
              {row.type}
              {row.hops > 0 ? `, ${plural(row.hops, 'hop')}` : ''}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
};

/** Before the first run: one sentence, one button, and sample questions. */
export const Welcome = () => {
  const runRequested = useRun((state) => state.runRequested);
  const asked = useView((state) => isAsked(state.address.asked));
  const setupOpen = useView((state) => state.setupOpen);
  const own = useSetup(
    ({ setup }) => setup.questions.kind === 'collections' || setup.local.kind === 'collections',
  );
  return (
    <div className="welcome">
      <section className="welcome-start">
        <h1>Watch a language model think, search, route, filter and answer.</h1>
        <p>
          A small language model runs in this tab, on your device.{' '}
          {own
            ? 'It uses the questions or passages that you imported.'
            : 'It answers questions about a fictional encyclopedia that it has never seen, so every answer has to be found.'}{' '}
          Each card is a real step of the model; nothing is scripted.
        </p>
        <Button size="md" loading={runRequested} onClick={() => void runFromStart()}>
          {asked ? 'Run this question' : 'Run an example'}
        </Button>
        <WillAskWith />
        {setupOpen ? null : (
          <>
            <BuiltInReaderNote />
            <QuestionNameCheck />
          </>
        )}
        {runRequested ? (
          <>
            <p role="status">It starts as soon as everything is loaded.</p>
            <LoadingList />
          </>
        ) : null}
        <p className="fine">
          Or{' '}
          <button type="button" className="link" onClick={openSetup}>
            choose or type another question
          </button>{' '}
          and change the recipe, in the setup (key s), or{' '}
          <button type="button" className="link" onClick={openTour}>
            take the tour
          </button>
          : ask, train, read and compare in about five minutes.
        </p>
      </section>
      <Examples />
      {/* Next to the button, so that it is in view at any size while something loads. */}
      {runRequested ? null : <LoadingList />}
      <Signs />
    </div>
  );
};
