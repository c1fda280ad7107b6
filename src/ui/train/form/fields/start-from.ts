import { useMemo } from 'react';
import type { RunRecord } from '../../../../lab/contract/records/runs.ts';
import type { StartFrom } from '../../../../lab/contract/training.ts';
import { BUILT_IN_SETUP, type PolicyRef } from '../../../../records/setup.ts';
import type { TrainSettings } from '../../../../recipes/parts/training.ts';
import { useSetup } from '../../../setup/setup-store.ts';
import { hasAdapter } from '../../run/run-words.ts';
import { useTrainForm } from '../../store/train-draft.ts';
import { useTrain } from '../../store/train-store.ts';

/** Adapters that a new run may start from: those of runs with the model that is chosen. */

const sameModel = (a: PolicyRef, b: PolicyRef): boolean =>
  a.kind === b.kind && ('id' in a ? a.id : '') === ('id' in b ? b.id : '');

/** Runs of this model with a trained adapter, newest first. */
const startRuns = (runs: readonly RunRecord[], policy: PolicyRef): RunRecord[] =>
  runs.filter(
    (run) =>
      run.deletedAt === null &&
      run.status !== 'running' &&
      hasAdapter(run) &&
      sameModel((run.setup ?? BUILT_IN_SETUP).policy, policy),
  );

export const useStartRuns = (): RunRecord[] => {
  const runs = useTrain((state) => state.runs);
  const policy = useSetup(({ setup }) => setup.policy);
  return useMemo(() => startRuns(runs, policy), [runs, policy]);
};

/** The run whose adapter is chosen; null where none is, or it is of another model. */
export const useStartRun = (): RunRecord | null => {
  const chosen = useTrainForm(({ draft }) => draft.startFrom);
  const runs = useStartRuns();
  return runs.find(({ id }) => id === chosen) ?? null;
};

/** As the lab takes it: the run's last adapter. */
export const startOf = (run: Pick<RunRecord, 'id'> | null): StartFrom | undefined =>
  run === null ? undefined : { run: run.id, step: null };

/** Settings with the shape of the adapter that the run starts from. */
export const withShapeOf = (
  settings: TrainSettings | null,
  run: Pick<RunRecord, 'settings'> | null,
): TrainSettings | null =>
  settings && run ? { ...settings, adapter: run.settings.adapter } : settings;
