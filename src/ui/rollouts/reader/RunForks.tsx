import { useCallback, useEffect, useMemo, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { isOwnRollout } from '../../../formats/rollouts/shape/imported.ts';
import type { Reading } from '../../../lab/contract/rollouts.ts';
import { evaluationOfFile, isRunFile, runFileId } from '../../../lab/rollouts/own-runs.ts';
import { BUILT_IN_SETUP } from '../../../records/setup.ts';
import type { Rollout } from '../../../records/rollout.ts';
import { adapterChoices, WithRecordForks } from '../../ask/siblings/RecordFork.tsx';
import { forkOfRun } from '../../ask/siblings/fork-actions.ts';
import { writerOf } from '../../ask/siblings/writer.ts';
import { EventActions } from '../../kit/events/parts/actions.ts';
import { ForkMenu } from '../../kit/ForkMenu.tsx';
import { useTrain, visibleRuns } from '../../train/store/train-store.ts';
import { useAsk } from '../../ask/store/ask-store.ts';
import { readAdapters } from '../../ask/store/actions.ts';

/**
 * Which rollouts can be forked: those of a training run in this browser, and others whose policy and
 * sources are here (checked on demand). Otherwise shows the reason.
 */

/** The training run of this browser that made a rollout. */
const useRunOf = ({ rollout, file }: Pick<Reading, 'rollout' | 'file'>) =>
  useTrain((state) =>
    evaluationOfFile(file.id) !== null
      ? undefined
      : visibleRuns(state.runs).find(
          ({ id, policy }) =>
            runFileId(id) === file.id ||
            (id === rollout.runId && policy.revision === rollout.policy?.revision),
        ),
  );

/** Why a rollout cannot be forked; null if it can. */
function whyNoFork(
  { rollout, file }: Pick<Reading, 'rollout' | 'file'>,
  run: object | undefined,
): string | null {
  if (rollout.origin !== undefined)
    return 'the model and the search engine of this imported rollout are not here';
  if (!isOwnRollout(rollout)) return 'its record lacks events or tokens, so it cannot be replayed';
  return run || !isRunFile(file.id) ? null : 'its training run is no longer in this browser';
}

/** Once, above the rounds. */
export const NoFork = ({ reading }: { reading: Reading }) => {
  const why = whyNoFork(reading, useRunOf(reading));
  return why === null ? null : <p className="fine">↳ Cannot be forked: {why}.</p>;
};

const RunFork = (props: { reading: Reading; rollout: Rollout; event: number }) => {
  const { reading, rollout, event } = props;
  const run = useRunOf(reading);
  const runs = useAsk((state) => state.adapters);
  const policies = useMemo(() => adapterChoices(runs), [runs]);
  const [, go] = useLocation();
  useEffect(() => {
    if (useAsk.getState().adapters === null) void readAdapters();
  }, []);
  if (!run) return null;
  const { id, name, setup = BUILT_IN_SETUP } = run;
  const { step, groupId: group } = rollout;
  const source = { runId: id, name, step, group, setup };
  const { note } = writerOf(rollout, { request: null, source, forks: {} }, runs ?? []);
  return (
    <ForkMenu
      rollout={rollout}
      event={event}
      why={null}
      note={`Opens in Ask. ${note ?? ''}`.trim()}
      policies={policies}
      busy={false}
      start={(ask) => void forkOfRun(run, rollout, ask, go)}
    />
  );
};

/** Lets the cards inside offer forks, if possible. */
export const WithRunForks = ({ reading, children }: { reading: Reading; children: ReactNode }) => {
  const run = useRunOf(reading);
  const can = whyNoFork(reading, run) === null;
  const { file, rollout } = reading;
  const actions = useCallback(
    (rollout: Rollout, event: number) => (
      <RunFork reading={reading} rollout={rollout} event={event} />
    ),
    [reading],
  );
  if (can && !run)
    return (
      <WithRecordForks place={{ file: file.id, rollout: rollout.id }}>{children}</WithRecordForks>
    );
  return <EventActions value={can ? actions : null}>{children}</EventActions>;
};
