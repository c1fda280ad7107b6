import type { SweepAxis } from '../../../evaluate/sweep/axes.ts';
import type { DeviceChoice } from '../../../lab/contract/settings.ts';
import type { StartFrom } from '../../../lab/contract/training.ts';
import type { TrainSettings } from '../../../recipes/parts/training.ts';
import { createAttempt } from '../../kit/attempt.ts';
import { keepStorage } from '../../lab/storage.ts';
import { useSetup } from '../../setup/setup-store.ts';
import { restoreRun, stopRun } from './train-actions.ts';
import { trainApi, useTrain } from './train-store.ts';

/** What the page does with sweeps. Nothing here rejects: see `problem`. */

const attempt = createAttempt((problem) => useTrain.setState({ problem }));

/** @returns the new sweep's id; null where it could not start, with the reason in `problem` */
export const startSweep = (start: {
  name: string;
  axes: readonly SweepAxis[];
  settings: TrainSettings;
  device: DeviceChoice;
  demonstrations: File | null;
  startFrom?: StartFrom | undefined;
}): Promise<string | null> => {
  useTrain.setState({ problem: null, frozen: null });
  const { name, axes, settings, device, demonstrations, startFrom } = start;
  void keepStorage();
  return attempt('The sweep did not start', () =>
    trainApi().createSweep(
      { name, axes },
      settings,
      device,
      useSetup.getState().setup,
      demonstrations ?? undefined,
      startFrom,
    ),
  );
};

/** Resumes the waiting runs of a sweep, one after another. */
export const goOnWithSweep = async (sweepId: string): Promise<void> => {
  useTrain.setState({ problem: null, frozen: null });
  void keepStorage();
  await attempt('The sweep could not go on', () => trainApi().goOnWithSweep(sweepId));
};

/** The runs that wait are dropped. @returns their ids */
export const dropRest = async (sweepId: string): Promise<string[]> =>
  (await attempt('The runs were not dropped', () => trainApi().dropRest(sweepId))) ?? [];

/** The runs that wait are dropped, and the one that trains ends now, with what it learned. @returns ids of the dropped */
export const stopSweep = async (sweepId: string, runId: string): Promise<string[]> => {
  const dropped = await dropRest(sweepId);
  await stopRun(runId, true);
  return dropped;
};

/** Undoes `dropRest`, for as long as `UNDO_MS`. */
export const bringBack = async (runIds: readonly string[]): Promise<void> => {
  for (const id of runIds) await restoreRun(id);
};
