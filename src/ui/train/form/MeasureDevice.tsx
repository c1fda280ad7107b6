import { Button } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import type { DeviceChoice } from '../../../lab/contract/settings.ts';
import type { TrainEstimate } from '../../../lab/contract/training.ts';
import type { TrainSettings } from '../../../recipes/parts/training.ts';
import { isRunning, useRun } from '../../ask/store/run-store.ts';
import { runningEvaluation, useEvaluate } from '../../evaluate/store/evaluate-store.ts';
import { useSetup } from '../../setup/setup-store.ts';
import { useMaking } from '../store/make-demonstrations.ts';
import { cancelMeasure, measureDevice } from '../store/train-actions.ts';
import { useStartRun } from './fields/start-from.ts';
import { trainingRun, useTrain } from '../store/train-store.ts';

/** The form must rest this long before the device is measured without a click. */
const REST_MS = 1500;

interface Measured {
  settings: TrainSettings;
  device: DeviceChoice;
  /** Of these settings. */
  estimate: TrainEstimate | null;
}

/** Whether nothing else computes on this machine, as far as this browser knows. */
const useIdle = (): boolean => {
  const ready = useTrain((state) => state.status === 'ready');
  const trains = useTrain((state) => trainingRun(state) !== undefined);
  const asks = useRun((state) => isRunning(state.run));
  const evaluates = useEvaluate(
    (state) => runningEvaluation(state) !== undefined || state.measuring !== null,
  );
  const makes = useMaking((state) => state.progress !== null);
  return ready && !trains && !asks && !evaluates && !makes;
};

/**
 * Measures this device without a click where nothing like the run was measured, the form rests and the machine is
 * idle. Each kind of run is tried once per visit: one that was cancelled or failed is left to the button. Leaving the
 * form ends it.
 */
export const useMeasureWhenIdle = ({ settings, device, estimate }: Measured): void => {
  const idle = useIdle();
  const setup = useSetup((state) => state.setup);
  const startRun = useStartRun()?.id;
  const tried = useRef(new Set<string>());
  const wanted =
    idle && estimate !== null && estimate.time === null && estimate.refusal === null
      ? estimate.key
      : null;
  useEffect(() => {
    if (wanted === null || tried.current.has(wanted)) return undefined;
    const timer = setTimeout(() => {
      if (document.hidden) return;
      tried.current.add(wanted);
      void measureDevice(settings, device, setup, startRun);
    }, REST_MS);
    return () => clearTimeout(timer);
  }, [wanted, settings, device, setup, startRun]);
  useEffect(
    () => () => {
      if (useTrain.getState().measuring !== null) void cancelMeasure();
    },
    [],
  );
};

/** Seconds since it was first shown, so that something moves while one part of a measurement takes long. */
const Elapsed = () => {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const start = Date.now();
    const timer = setInterval(() => setSeconds(Math.round((Date.now() - start) / 1000)), 1000);
    return () => clearInterval(timer);
  }, []);
  return <span aria-hidden="true">{seconds} s</span>;
};

/** Measures this device, or says how far the measurement is. @param props.again whether there is one already */
export const MeasureDevice = ({
  settings,
  device,
  again,
}: Omit<Measured, 'estimate'> & { again: boolean }) => {
  const measuring = useTrain((state) => state.measuring);
  const idle = useIdle();
  const setup = useSetup((state) => state.setup);
  const startRun = useStartRun()?.id;
  if (measuring !== null)
    return (
      <span data-testid="measuring">
        Measuring this device: {measuring}, <Elapsed />{' '}
        <button type="button" className="link" onClick={() => void cancelMeasure()}>
          Cancel
        </button>
      </span>
    );
  const start = () => void measureDevice(settings, device, setup, startRun);
  const title =
    'Makes a few rollouts with these settings and one small update, and keeps only the times';
  return again ? (
    <button type="button" className="link" disabled={!idle} title={title} onClick={start}>
      Measure again
    </button>
  ) : (
    <Button size="xs" variant="default" disabled={!idle} title={title} onClick={start}>
      Measure this device
    </Button>
  );
};
