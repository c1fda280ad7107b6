import { Button, Textarea } from '@mantine/core';
import { memo, useState } from 'react';
import { MAX_QUESTION_LENGTH } from '../../../lab/contract/settings.ts';
import { ask, cancelRun, isTooLong, runFromStart } from '../store/actions.ts';
import { allReady, useSession } from '../../kit/session-store.ts';
import { formatCount } from '../../kit/words/format.ts';
import { isRunning, useAsk } from '../store/ask-store.ts';
import { useSetup } from '../../setup/setup-store.ts';
import { Terms } from '../../kit/words/explain/Term.tsx';
import { ModelNote } from '../notes/ModelNote.tsx';
import { QuestionNameCheck } from '../notes/QuestionNameCheck.tsx';
import { PolicyChoice } from './PolicyChoice.tsx';
import { QuestionPicker } from './QuestionPicker.tsx';
import { readsSummaries } from '../../setup/reads-summaries.ts';
import { Unsummarized } from '../../setup/form/Unsummarized.tsx';
import { WorksWith } from '../../setup/form/WorksWith.tsx';
import { SettingsForm } from './SettingsForm.tsx';

/** A custom question while it is typed; it is also in the address. */
const TypedQuestion = () => {
  const asked = useAsk((state) => state.address.asked);
  const text = asked?.kind === 'typed' ? asked.text : '';
  return (
    <div className="typed">
      <Textarea
        size="xs"
        label="Your question"
        description={<Terms>No reference answer, so no EM or F1.</Terms>}
        autosize
        minRows={3}
        error={
          isTooLong(asked)
            ? `${formatCount(text.length)} characters; a question has at most ${formatCount(MAX_QUESTION_LENGTH)}. Shorten it to ask.`
            : null
        }
        value={text}
        onChange={(event) => ask({ kind: 'typed', text: event.currentTarget.value })}
      />
    </div>
  );
};

/** Runs, or cancels the run. A click before everything is loaded queues the run. */
const RunButton = () => {
  const running = useAsk((state) => isRunning(state.run));
  const ready = useSession(allReady);
  const asked = useAsk((state) => state.address.asked);
  const unfit = isTooLong(asked) || (asked?.kind === 'typed' && asked.text.trim() === '');
  if (running) {
    return (
      <Button fullWidth size="sm" color="red" variant="light" onClick={() => void cancelRun()}>
        Cancel (Esc)
      </Button>
    );
  }
  return (
    <Button fullWidth size="sm" disabled={unfit} onClick={() => void runFromStart()}>
      {ready ? 'Run' : 'Run when loaded'}
    </Button>
  );
};

/** Warns before a run would be refused, with a fix. */
const SummariesNote = () => {
  const recipe = useAsk((state) => state.address.settings.recipe);
  const none = useSetup(({ setup }) => setup.summarizer.kind === 'off');
  return none && readsSummaries(recipe) ? (
    <p className="fine">
      <Unsummarized />
    </p>
  ) : null;
};

/** Scrolls the column to what the user opens in it: it would be hidden below the dock. */
const showsOpened = (column: HTMLElement | null) => {
  const show = ({ target }: Event) => {
    if (!column || !(target instanceof HTMLDetailsElement) || !target.open) return;
    // Parts that are open from the beginning do not move the column.
    if (!target.contains(document.activeElement)) return;
    const fits = target.offsetHeight < column.clientHeight / 2;
    target.scrollIntoView({ block: fits ? 'nearest' : 'start' });
  };
  // The event does not bubble.
  column?.addEventListener('toggle', show, true);
  return () => column?.removeEventListener('toggle', show, true);
};

/** What to ask and how: the left column of Ask. Memoised: what a run changes on the page renders none of its fields. */
export const Setup = memo(() => {
  const asked = useAsk((state) => state.address.asked);
  const imported = useSetup(({ setup }) => setup.questions.kind === 'collections');
  const [tab, setTab] = useState<'world' | 'typed'>(asked?.kind === 'typed' ? 'typed' : 'world');
  const choose = (next: 'world' | 'typed') => {
    setTab(next);
    if (next === 'typed' && asked?.kind !== 'typed') ask({ kind: 'typed', text: '' });
  };
  return (
    <aside className="setup" aria-label="What to run" ref={showsOpened}>
      <div className="segmented" role="group" aria-label="Where the question comes from">
        <button type="button" aria-pressed={tab === 'world'} onClick={() => choose('world')}>
          {imported ? 'Imported questions' : 'Sample questions'}
        </button>
        <button type="button" aria-pressed={tab === 'typed'} onClick={() => choose('typed')}>
          Your own
        </button>
      </div>
      {tab === 'world' ? (
        <QuestionPicker
          askOwn={(text) => {
            ask({ kind: 'typed', text });
            setTab('typed');
          }}
        />
      ) : (
        <TypedQuestion />
      )}
      <ModelNote />
      <QuestionNameCheck />
      <WorksWith />
      <PolicyChoice />
      <SettingsForm />
      <SummariesNote />
      <div className="run-dock">
        <RunButton />
      </div>
    </aside>
  );
});
