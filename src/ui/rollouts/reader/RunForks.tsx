import { useCallback, useEffect, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { isOwnRollout } from '../../../formats/rollouts/shape/imported.ts';
import type { Reading } from '../../../lab/contract/rollouts.ts';
import { isRunFile, runFileId } from '../../../lab/rollouts/own-runs.ts';
import { BUILT_IN_SETUP } from '../../../records/setup.ts';
import type { Rollout } from '../../../records/rollout.ts';
import { readAdapters, useAdapters } from '../../ask/policies/adapters-store.ts';
import { forkOfRun } from '../../ask/siblings/fork-actions.ts';
import { writerOf } from '../../ask/siblings/writer.ts';
import { EventActions } from '../../kit/events/parts/actions.ts';
import { ForkMenu } from '../../kit/fork/ForkMenu.tsx';
import { useTrain, visibleRuns } from '../../train/store/train-store.ts';

/** Rollouts of a training run of this browser can be gone on with; of others it is said why not. */

const useRunOf = (fileId: string) =>
  useTrain((state) => visibleRuns(state.runs).find(({ id }) => runFileId(id) === fileId));

/** Why a rollout cannot be gone on with; null where it can. */
function whyNoFork(
  { rollout, file }: Pick<Reading, 'rollout' | 'file'>,
  run: object | undefined,
): string | null {
  if (rollout.origin !== undefined)
    return 'it was imported from another system’s file: the policy that wrote its tokens, and the sources that it searched, are not here';
  if (!isOwnRollout(rollout))
    return 'its record lacks events or tokens, so nobody can go through it again';
  if (!isRunFile(file.id))
    return 'its file does not say which policy and sources to go on with; ask its question in Ask and fork there';
  return run ? null : 'its training run is not in this browser any more';
}

/** Said once, above the rounds. */
export const NoFork = ({ reading }: { reading: Reading }) => {
  const why = whyNoFork(reading, useRunOf(reading.file.id));
  return why === null ? null : <p className="fine">↳ It cannot be forked: {why}.</p>;
};

const RunFork = (props: { reading: Reading; rollout: Rollout; event: number }) => {
  const { reading, rollout, event } = props;
  const run = useRunOf(reading.file.id);
  const runs = useAdapters((state) => state.runs);
  const [, go] = useLocation();
  useEffect(() => {
    if (useAdapters.getState().runs === null) void readAdapters();
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
      note={`It opens in Ask. ${note ?? ''}`.trim()}
      policies={
        runs?.flatMap((one) =>
          one.steps.map((at) => ({
            policy: { kind: 'run' as const, run: one.id, step: at },
            name: `${one.name}, step ${at}`,
          })),
        ) ?? null
      }
      busy={false}
      start={(ask) => void forkOfRun(run, rollout, ask, go)}
    />
  );
};

/** Cards within offer to go on from their events, where that is possible. */
export const WithRunForks = ({ reading, children }: { reading: Reading; children: ReactNode }) => {
  const can = whyNoFork(reading, useRunOf(reading.file.id)) === null;
  const actions = useCallback(
    (rollout: Rollout, event: number) => (
      <RunFork reading={reading} rollout={rollout} event={event} />
    ),
    [reading],
  );
  return <EventActions value={can ? actions : null}>{children}</EventActions>;
};
