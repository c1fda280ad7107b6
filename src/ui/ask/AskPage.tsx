import { useDeferredValue, useEffect, useMemo } from 'react';
import { useLocation } from 'wouter';
import { useShallow } from 'zustand/react/shallow';
import { useFileDrop } from '../kit/use-file-drop.ts';
import { DetailsPanel } from './DetailsPanel.tsx';
import { focusRollout, runFromStart, startRun, replayAgain, skipReplay } from './store/actions.ts';
import { importDrop } from '../rollouts/store/browse-actions.ts';
import { droppedRuns } from '../rollouts/run-files.ts';
import { downloadRollouts } from './store/export.ts';
import { firstFailure, useSession } from '../kit/session-store.ts';
import { readsSummaries } from '../setup/reads-summaries.ts';
import { useFitSummarizer } from '../setup/use-fit-summarizer.ts';
import { isRunning, useAsk } from './store/ask-store.ts';
import { openLinked } from './siblings/open-linked.ts';
import { useNeeds } from '../lab/use-needs.ts';
import { isOverlay, watchNarrow } from '../kit/page/screen.ts';
import { StripLegend } from '../kit/tokens/TokenStrip.tsx';
import { MechanismBar } from './mechanisms/MechanismBar.tsx';
import { MECHANISMS } from '../kit/rounds/round-words.ts';
import { formatNumber, formatSeconds } from '../kit/words/format.ts';
import type { Outcome } from './store/comparison.ts';
import { outcomeOf, rightWords } from './mechanisms/outcome.ts';
import { GroupSummary } from './columns/GroupSummary.tsx';
import { AskedWith } from './notes/AskedWith.tsx';
import { LinkedSetupNote } from './notes/LinkedSetupNote.tsx';
import { FailureNote, LoadingFailure, LoadingList } from '../lab/Loading.tsx';
import { QuestionHeader } from './QuestionHeader.tsx';
import { RolloutColumn } from './columns/RolloutColumn.tsx';
import {
  ColourSwitch,
  LinkedStepNote,
  SourceNote,
  useColourBy,
  useLargestAdvantage,
} from './notes/FromTraining.tsx';
import { SearchTrouble } from './notes/SearchTrouble.tsx';
import { Setup } from './setup/Setup.tsx';
import { UnknownNames } from './notes/UnknownNames.tsx';
import { ForkProblem, WithForks } from './siblings/ForkHere.tsx';
import { useForksOfAddress } from './siblings/replay-forks.ts';
import { GroupPictures, RolloutPictures } from './siblings/Pictures.tsx';
import { Welcome } from './Welcome.tsx';
import './ask.css';
import './columns/columns.css';
import './setup/setup.css';
import './details.css';
import './notes/notes.css';
import { Icon } from '../kit/Icon.tsx';
import { nextReplay, ROUND_MS } from './store/replay.ts';

/** How often a replay looks whether the next round has come, in milliseconds. */
const LOOK_MS = 150;

/** Advances the replay of the run on the screen. */
const useReplay = (): void => {
  const active = useAsk((state) => state.replay !== null);
  useEffect(() => {
    if (!active) return undefined;
    let due = 0;
    const look = () => {
      const { replay } = useAsk.getState();
      const { table, run } = useAsk.getState();
      if (replay === null || performance.now() < due) return;
      const next = nextReplay(replay, table, isRunning(run));
      if (next === replay) return;
      due = performance.now() + ROUND_MS;
      useAsk.setState({ replay: next });
    };
    const timer = setInterval(look, LOOK_MS);
    return () => clearInterval(timer);
  }, [active]);
};

/** Ends the replay, or starts it again. */
const ReplayBar = () => {
  const replay = useAsk((state) => state.replay);
  const running = useAsk((state) => isRunning(state.run));
  const some = useAsk((state) => state.table.order.length > 0);
  if (replay !== null)
    return (
      <button type="button" className="link" onClick={skipReplay}>
        <Icon name="last" size={12} /> Show the result (space)
      </button>
    );
  return some && !running ? (
    <button type="button" className="link" onClick={replayAgain}>
      <Icon name="play" size={12} /> Replay
    </button>
  ) : null;
};

/** A narrow screen shows one rollout at a time; these are its tabs. */
const RolloutTabs = ({ ids, focused }: { ids: readonly string[]; focused: number }) => (
  <div className="rollout-tabs" role="tablist" aria-label="Rollouts">
    {ids.map((id, index) => (
      <button
        key={id}
        type="button"
        role="tab"
        aria-selected={index === focused}
        onClick={() => focusRollout(index)}
      >
        {index + 1}
      </button>
    ))}
  </div>
);

/** Up to four columns share the width; more scroll. */
const columnsClass = (count: number): string =>
  count < 2 ? 'columns' : count <= 4 ? 'columns many few' : 'columns many';

/** The rollouts side by side, in the order in which they started. */
const Columns = () => {
  // Deferred: React may pause between columns, so no long task grows with their number.
  const { order, byId, finished } = useDeferredValue(useAsk((state) => state.table));
  const question = useAsk((state) => state.question);
  const addressRollout = useAsk((state) => state.address.rollout);
  const largest = useLargestAdvantage();
  const focused = Math.min(addressRollout, Math.max(0, order.length - 1));
  return (
    <>
      {order.length > 1 ? <RolloutTabs ids={order} focused={focused} /> : null}
      <div className={columnsClass(order.length)}>
        {order.map((id, index) => {
          const rollout = byId[id];
          return rollout ? (
            <RolloutColumn
              key={id}
              rollout={rollout}
              index={index}
              gold={question}
              finished={finished[id] === true}
              focused={index === focused}
              grouped={order.length > 1}
              largestAdvantage={largest}
            />
          ) : null;
        })}
      </div>
    </>
  );
};

/** Why the run failed, unless loading already said so. The rollouts so far stay below. */
const RunFailure = () => {
  const failure = useAsk((state) => state.run?.failure ?? null);
  const kept = useAsk((state) => state.table.order.length);
  const cause = useSession((state) => firstFailure(state)?.failure.message);
  if (!failure) return null;
  const title =
    kept > 0 ? 'The run ended early; the rollouts below are kept' : 'The run did not start';
  // The cause is already shown above.
  if (cause === failure.message) {
    return (
      <p className="note">
        {title}.{' '}
        <button type="button" className="link" onClick={() => void runFromStart()}>
          Run again
        </button>
      </p>
    );
  }
  return (
    <FailureNote
      title={title}
      failure={failure}
      action="Run again"
      onAction={() => void runFromStart()}
    />
  );
};

/** Summary over the columns of a group of several rollouts; forks are not samples of it. */
const Summary = () => {
  const { order: all, byId, finished } = useDeferredValue(useAsk((state) => state.table));
  const forks = useAsk((state) => state.forks);
  const order = useMemo(() => all.filter((id) => !forks[id]), [all, forks]);
  const ended = useMemo(
    () => order.flatMap((id) => (finished[id] ? (byId[id] ?? []) : [])),
    [order, byId, finished],
  );
  const replaying = useAsk((state) => state.replay !== null);
  const more = useAsk((state) => state.moreOpen);
  if (order.length < 2 || replaying) return null;
  return <GroupSummary ended={ended} size={order.length} more={more} />;
};

/** Shown while the run has no rollout yet, and after it was cancelled. */
const RunNote = () => {
  const status = useAsk((state) => state.run?.status);
  const started = useAsk((state) => state.table.order.length > 0);
  if (status === 'cancelled')
    return <p className="note">Cancelled; the rollouts so far are kept.</p>;
  if (status === 'waiting' || (status === 'running' && !started)) {
    return (
      <div className="note" role="status">
        Starting as soon as everything is loaded.
        <LoadingList />
      </div>
    );
  }
  return null;
};

/** Absent until there is something to download. */
const DownloadButton = () => {
  const some = useAsk((state) => state.table.order.length > 0);
  return some ? (
    <button
      type="button"
      className="link"
      title="The rollouts below, one forage.rollout/1 record per line"
      onClick={downloadRollouts}
    >
      Download JSONL
    </button>
  ) : null;
};

/** A link with invalid values still opens: it names the values that were ignored. */
const AddressProblems = () => {
  const problems = useAsk((state) => state.addressProblems);
  if (problems.length === 0) return null;
  return (
    <p className="note" role="status">
      The link has values that are not allowed; the defaults are used instead: {problems.join(', ')}
      .{' '}
      <button
        type="button"
        className="link"
        onClick={() => useAsk.setState({ addressProblems: [] })}
      >
        Dismiss
      </button>
    </p>
  );
};

/** Whether the browser shows a page again that it has shown before. */
const isShownAgain = (): boolean =>
  performance
    .getEntriesByType('navigation')
    .some((entry) => entry instanceof PerformanceNavigationTiming && entry.type !== 'navigate');

/** An address with `run=1` runs by itself and returns to its step; one of training is loaded. */
const useAutoRun = () => {
  // Only once it is clear which model and data it uses.
  const clear = useAsk(({ linkedSetup }) => linkedSetup.status === 'same');
  useEffect(() => {
    const { address } = useAsk.getState();
    if (!clear || useAsk.getState().run !== null) return;
    if (address.of) void openLinked(address.of);
    // After a reload the end is shown at once: its rounds were seen.
    else if (address.run && address.asked) void startRun(!isShownAgain());
  }, [clear]);
};

/** Hides the setup where there is no room for it next to a rollout, until there is. */
const useRoomForRollouts = () => {
  useEffect(() => {
    let putAway = false;
    return watchNarrow((narrow) => {
      const { setupOpen } = useAsk.getState();
      const inTheWay = narrow && setupOpen && useAsk.getState().request !== null;
      if (inTheWay || putAway) useAsk.setState({ setupOpen: !inTheWay });
      putAway = inTheWay;
    });
  }, []);
};

const COLUMNS: readonly (readonly [name: string, of: (outcome: Outcome) => string])[] = [
  ['answer', ({ answer }) => answer],
  ['result', rightWords],
  ['searches', ({ searches }) => formatNumber(searches)],
  ['time', ({ seconds }) => formatSeconds(seconds)],
];

/** The same question with a mechanism and without it. */
const BeforeAfter = () => {
  const comparison = useAsk((state) => state.comparison);
  const request = useAsk((state) => state.request);
  const table = useAsk((state) => state.table);
  const forks = useAsk((state) => state.forks);
  const running = useAsk((state) => isRunning(state.run) && state.forking === null);
  const replaying = useAsk((state) => state.replay !== null);
  const after = useMemo(
    () =>
      running || replaying
        ? null
        : outcomeOf(table.order.flatMap((id) => (forks[id] ? [] : (table.byId[id] ?? [])))),
    [running, replaying, table, forks],
  );
  if (comparison === null || comparison.after !== request) return null;
  const { mechanism, wasOn, before } = comparison;
  const { name } = MECHANISMS[mechanism];
  return (
    <table className={`before-after of-${mechanism}`} data-testid="before-after">
      <caption className="visually-hidden">The same question with {name} and without it</caption>
      <thead>
        <tr>
          <td />
          {COLUMNS.map(([column]) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        <tr>
          <th scope="row">
            before: {name} {wasOn ? 'on' : 'off'}
          </th>
          {COLUMNS.map(([column, of]) => (
            <td key={column}>{of(before)}</td>
          ))}
        </tr>
        <tr>
          <th scope="row">
            after: {name} {wasOn ? 'off' : 'on'}
          </th>
          {COLUMNS.map(([column, of]) => (
            <td key={column}>{after === null ? '…' : of(after)}</td>
          ))}
        </tr>
      </tbody>
    </table>
  );
};

/**
 * The Ask page: setup, rollout columns, details. The address holds the question and the position; the
 * run itself is not stored and is repeated.
 */
export const AskPage = () => {
  const started = useAsk((state) => state.request !== null);
  const running = useAsk((state) => isRunning(state.run));
  const { setupOpen, detailsOpen } = useAsk(
    useShallow(({ setupOpen, detailsOpen }) => ({ setupOpen, detailsOpen })),
  );
  // A group needs the full width until something is selected.
  const idle = useAsk((state) => state.selection === null);
  const group = useAsk((state) => state.table.order.length > 1);
  const by = useColourBy();
  const more = useAsk((state) => state.moreOpen);
  const detailsShown = detailsOpen && started && !(group && idle && !isOverlay());
  const { recipe } = useAsk((state) => state.address.settings);
  useNeeds('sources', 'policy');
  useFitSummarizer(readsSummaries(recipe));
  useAutoRun();
  useReplay();
  useForksOfAddress();
  useRoomForRollouts();
  const [, go] = useLocation();
  // Rollout files open in their own table.
  const drop = useFileDrop((transfer) => importDrop(droppedRuns(transfer), go));
  const classes = ['ask', setupOpen ? '' : 'no-setup', detailsShown ? '' : 'no-details'];
  if (idle) classes.push('idle');
  return (
    <WithForks>
      <div className={classes.join(' ')}>
        {setupOpen ? <Setup /> : null}
        <main
          className={drop.over ? 'ask-main dropping' : 'ask-main'}
          aria-busy={running}
          tabIndex={-1}
          {...drop.handlers}
        >
          <LoadingFailure />
          <AddressProblems />
          <LinkedSetupNote />
          <LinkedStepNote />
          {started ? (
            <>
              <SourceNote />
              <QuestionHeader>
                <span className="result-tools">
                  <ReplayBar />
                  <DownloadButton />
                </span>
              </QuestionHeader>
              <AskedWith />
              <RunFailure />
              <RunNote />
              <SearchTrouble />
              <UnknownNames />
              <BeforeAfter />
              <Summary />
              <ForkProblem />
              <GroupPictures />
              <MechanismBar />
              {more ? (
                <div className="legend-line">
                  <StripLegend by={by}>
                    <ColourSwitch />
                  </StripLegend>
                </div>
              ) : null}
              <Columns />
              <RolloutPictures />
            </>
          ) : (
            <Welcome />
          )}
        </main>
        {detailsShown ? <DetailsPanel /> : null}
      </div>
    </WithForks>
  );
};
