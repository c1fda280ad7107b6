import { useDeferredValue, useEffect, useMemo } from 'react';
import { useShallow } from 'zustand/react/shallow';
import { DetailsPanel } from '../details/DetailsPanel.tsx';
import { focusRollout, runFromStart, startRun } from '../stores/actions.ts';
import { isRunning, useRun } from '../stores/run-store.ts';
import { useView } from '../stores/view-store.ts';
import { StripLegend } from '../tokens/TokenStrip.tsx';
import { GroupSummary } from './GroupSummary.tsx';
import { FailureNote, LoadingFailure, LoadingList } from './Loading.tsx';
import { QuestionHeader } from './QuestionHeader.tsx';
import { RolloutColumn } from './RolloutColumn.tsx';
import { Setup } from './Setup.tsx';
import { Welcome } from './Welcome.tsx';

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

const Columns = () => {
  // Drawn when there is time: React may pause between columns, so no task grows with their number.
  const { order, byId, finished } = useDeferredValue(useRun((state) => state.table));
  const question = useRun((state) => state.question);
  const wanted = useView((state) => state.address.rollout);
  const focused = Math.min(wanted, Math.max(0, order.length - 1));
  return (
    <>
      {order.length > 1 ? <RolloutTabs ids={order} focused={focused} /> : null}
      <div className={order.length > 1 ? 'columns many' : 'columns'}>
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
            />
          ) : null;
        })}
      </div>
    </>
  );
};

const RunFailure = () => {
  const failure = useRun((state) => state.run?.failure ?? null);
  const kept = useRun((state) => state.table.order.length);
  if (!failure) return null;
  return (
    <FailureNote
      title={kept > 0 ? 'The run ended early; what is below was kept' : 'The run did not start'}
      failure={failure}
      action="Run again"
      onAction={() => void runFromStart()}
    />
  );
};

/** A group of several rollouts, summed up over the columns. */
const Summary = () => {
  const { order, byId, finished } = useDeferredValue(useRun((state) => state.table));
  const ended = useMemo(
    () => order.flatMap((id) => (finished[id] ? (byId[id] ?? []) : [])),
    [order, byId, finished],
  );
  return order.length > 1 ? <GroupSummary ended={ended} size={order.length} /> : null;
};

const RunNote = () => {
  const status = useRun((state) => state.run?.status);
  const started = useRun((state) => state.table.order.length > 0);
  if (status === 'cancelled') return <p className="note">Cancelled; what had happened is kept.</p>;
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

const AddressProblems = () => {
  const problems = useView((state) => state.addressProblems);
  if (problems.length === 0) return null;
  return (
    <p className="note" role="status">
      The address holds values that are not allowed, which were left at their defaults:{' '}
      {problems.join(', ')}.{' '}
      <button
        type="button"
        className="link"
        onClick={() => useView.setState({ addressProblems: [] })}
      >
        Dismiss
      </button>
    </p>
  );
};

/** An address with `run=1` runs by itself, and comes back to its step. */
const useAutoRun = () => {
  useEffect(() => {
    const { address } = useView.getState();
    if (address.run && address.asked && useRun.getState().run === null) void startRun();
  }, []);
};

export const InspectPage = () => {
  const started = useRun((state) => state.request !== null);
  const running = useRun((state) => isRunning(state.run));
  const { setupOpen, detailsOpen } = useView(
    useShallow(({ setupOpen, detailsOpen }) => ({ setupOpen, detailsOpen })),
  );
  useAutoRun();
  const classes = [
    'inspect',
    setupOpen ? '' : 'no-setup',
    detailsOpen && started ? '' : 'no-details',
  ];
  return (
    <div className={classes.join(' ')}>
      {setupOpen ? <Setup /> : null}
      <main className="inspect-main" aria-busy={running} tabIndex={-1}>
        <LoadingFailure />
        <AddressProblems />
        {started ? (
          <>
            <QuestionHeader />
            <RunFailure />
            <RunNote />
            <Summary />
            <div className="legend-line">
              <StripLegend />
            </div>
            <Columns />
          </>
        ) : (
          <Welcome />
        )}
      </main>
      {detailsOpen && started ? <DetailsPanel /> : null}
    </div>
  );
};
