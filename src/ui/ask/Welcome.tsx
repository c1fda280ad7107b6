import { Button } from '@mantine/core';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { isAsked, isTooLong, runFromStart } from './store/actions.ts';
import { Guarded } from '../kit/page/Guarded.tsx';
import { onDemand } from '../kit/page/on-demand.tsx';
import { useAsk, openSetup } from './store/ask-store.ts';
import { useSetup } from '../setup/setup-store.ts';
import { openTour } from '../tour/tour-actions.ts';
import { WillAskWith } from './notes/AskedWith.tsx';
import { ModelNote } from './notes/ModelNote.tsx';
import { QuestionNameCheck } from './notes/QuestionNameCheck.tsx';
import { firstFailure, useSession } from '../kit/session-store.ts';
import { LoadingList } from '../lab/Loading.tsx';

// Drawn after the words and buttons, in room that is kept for it.
const HeroPicture = onDemand(() => import('./hero/HeroPicture.tsx'));

/** The recording, for those who use what is built in. */
const Recording = () => (
  <div className="hero-room">
    <Guarded name="The recording">
      <HeroPicture />
    </Guarded>
  </div>
);

/** Starts the two-minute training and shows it. */
const TrainButton = () => {
  const [, go] = useLocation();
  const [starting, setStarting] = useState(false);
  const train = async () => {
    setStarting(true);
    try {
      const { trainToSearch } = await import('../tour/train-to-search.ts');
      await trainToSearch(go, 'Learning to search');
    } finally {
      setStarting(false);
    }
  };
  return (
    <Button size="md" variant="default" loading={starting} onClick={() => void train()}>
      Train it (2 min)
    </Button>
  );
};

/** Before the first run: what this is, a recording of it, and the two buttons that do it here. */
export const Welcome = () => {
  const runRequested = useAsk((state) => state.runRequested);
  const asked = useAsk((state) => isAsked(state.address.asked));
  const unfit = useAsk((state) => isTooLong(state.address.asked));
  const setupOpen = useAsk((state) => state.setupOpen);
  const failed = useSession((state) => firstFailure(state) !== null);
  const own = useSetup(
    ({ setup }) => setup.questions.kind === 'collections' || setup.local.kind === 'collections',
  );
  return (
    <div className="welcome">
      <h1>Watch a language model learn to search</h1>
      <p>
        Large language models learn to search by reinforcement learning, usually with 7 billion
        parameters on a cluster. Here the same loop is small enough to watch, and to change, in a
        browser tab.
        {own ? ' It uses the questions or passages that you imported.' : ''}
      </p>
      <div className="welcome-buttons">
        <Button
          size="md"
          loading={runRequested}
          disabled={unfit}
          onClick={() => void runFromStart()}
        >
          {asked ? 'Run this question' : 'Watch it answer'}
        </Button>
        <TrainButton />
        <span className="welcome-own">
          Open your own <Link href="/models">model</Link>, <Link href="/corpus">corpus</Link> or{' '}
          <Link href="/rollouts">rollouts</Link>
        </span>
      </div>
      <WillAskWith />
      {setupOpen ? null : (
        <>
          <ModelNote />
          <QuestionNameCheck />
        </>
      )}
      {runRequested ? <p role="status">It starts as soon as everything is loaded.</p> : null}
      {runRequested || failed ? <LoadingList /> : null}
      {own ? null : <Recording />}
      <p className="fine">
        <button type="button" className="link" onClick={openSetup}>
          Choose or type another question
        </button>{' '}
        (key s), or{' '}
        <button type="button" className="link" onClick={openTour}>
          take the tour
        </button>
        : ask, train, read and compare in about five minutes.
      </p>
    </div>
  );
};
