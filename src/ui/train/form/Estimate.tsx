import { useEffect, useMemo, useState, useRef } from 'react';
import { messageOf } from '../../../base/errors.ts';
import type { DeviceChoice } from '../../../lab/contract/settings.ts';
import type { Probed, TrainEstimate, TrainTime } from '../../../lab/contract/training.ts';
import type { TrainingMemory } from '../../../learn/replicas/training-memory.ts';
import type { TrainSettings } from '../../../recipes/parts/training.ts';
import { isStored } from '../../../recipes/parts/stage-loss.ts';
import { formatDuration } from '../../kit/words/duration.ts';
import { formatBytes, formatCount, formatNumber, plural } from '../../kit/words/format.ts';
import { useSetup } from '../../setup/setup-store.ts';
import { startOf, useStartRun } from './fields/start-from.ts';
import { trainApi, useTrain, trainingRun } from '../store/train-store.ts';
import { toTry, TRY_STEPS } from '../store/try-run.ts';
import { Button } from '@mantine/core';
import { isRunning, useAsk } from '../../ask/store/ask-store.ts';
import { runningEvaluation, useEvaluate } from '../../evaluate/store/evaluate-store.ts';
import { cancelMeasure, measureDevice } from '../store/train-actions.ts';
import { useTrainForm } from '../store/train-draft.ts';

/** The form must rest this long before the device is measured without a click. */
const MEASURE_REST_MS = 1500;

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
  const asks = useAsk((state) => isRunning(state.run));
  const evaluates = useEvaluate(
    (state) => runningEvaluation(state) !== undefined || state.measuring !== null,
  );
  const makes = useTrainForm(({ making }) => making.progress !== null);
  return ready && !trains && !asks && !evaluates && !makes;
};

/**
 * Measures this device without a click where nothing like the run was measured, the form rests and the machine is
 * idle. Each kind of run is tried once per visit: one that was cancelled or failed is left to the button. Leaving the
 * form ends it.
 */
const useMeasureWhenIdle = ({ settings, device, estimate }: Measured): void => {
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
    }, MEASURE_REST_MS);
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
const MeasureDevice = ({
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

/** Time and memory of a run, by what this device measured, and a short run to try the settings. */

/** Wait for the form to rest before the lab is asked. */
const REST_MS = 350;

/** An estimate, or why there is none, with the settings and the number of measurements that it is of; null before the first. */
export type Answer =
  | ({ of: TrainSettings; measured: number } & (
      | { estimate: TrainEstimate; problem: null }
      | { estimate: null; problem: string }
    ))
  | null;

/** The lab's estimate for the settings; null while there is none. */
export const useEstimate = (settings: TrainSettings | null, device: DeviceChoice): Answer => {
  const [answer, setAnswer] = useState<Answer>(null);
  // Before the lab is connected a question would fail, and be shown as the settings’ fault.
  const connected = useTrain((state) => state.status === 'ready');
  const measured = useTrain((state) => state.measured);
  const setup = useSetup((state) => state.setup);
  const startRun = useStartRun()?.id;
  const given = useTrainForm(({ demonstrations: { counts } }) =>
    counts?.of === 'rollouts' ? counts.given : undefined,
  );
  useEffect(() => {
    if (!connected || !settings) return undefined;
    let live = true;
    const ask = async () => {
      try {
        const start = startRun === undefined ? undefined : startOf({ id: startRun });
        const estimate = await trainApi().estimate(settings, device, setup, given, start);
        if (live) setAnswer({ of: settings, measured, estimate, problem: null });
      } catch (error) {
        const problem = messageOf(error);
        if (live) setAnswer({ of: settings, measured, estimate: null, problem });
      }
    };
    const timer = setTimeout(() => void ask(), REST_MS);
    return () => {
      // An estimate of settings that have changed since is not shown.
      live = false;
      clearTimeout(timer);
    };
  }, [settings, device, setup, given, startRun, connected, measured]);
  return answer;
};

/** What a step learns from: rollouts that it makes, or stored trajectories; of both where stages differ. */
const batchWords = ({ questions, groupSize, stages }: TrainSettings): string => {
  const made = `${questions} × ${groupSize} = ${plural(questions * groupSize, 'rollout')}`;
  const words = stages.map(({ loss }) =>
    isStored(loss)
      ? plural(loss.batch, loss.kind === 'stored-dpo' ? 'stored pair' : 'stored rollout')
      : made,
  );
  return [...new Set(words)].join(', then ');
};

/** Time per step, of all steps, and before step 1. */
const Time = ({ time, steps }: { time: TrainTime; steps: number }) => (
  <>
    {steps === 0 ? (
      <span className="total">
        at most <b>≈ {formatDuration(time.secondsBefore)}</b> for the cold start
      </span>
    ) : (
      <>
        <span>
          <b>≈ {formatDuration(time.secondsPerStep)}</b> per step
          {time.range
            ? ` (${formatDuration(time.range[0])} to ${formatDuration(time.range[1])}: steps with equal rewards skip their update)`
            : null}
        </span>
        <span className="total">
          <b>≈ {formatDuration(time.secondsPerStep * steps)}</b> for {plural(steps, 'step')}
        </span>
      </>
    )}
    {steps > 0 && time.secondsBefore > 0 ? (
      <span>
        + <b>{formatDuration(time.secondsBefore)}</b> before step 1
      </span>
    ) : null}
  </>
);

/** The same count as on Models: of one engine, and how many there are. */
const Memory = ({ memory }: { memory: TrainingMemory }) => {
  const { engines, engineBytes, limitBytes, slots, wanted } = memory;
  const each = engines > 1 ? ` in each of ${engines} engines` : '';
  const fewer = slots < wanted ? `; ${plural(slots, 'rollout')} at a time, not ${wanted}` : '';
  return (
    <span title="Weights, contexts and training, with all contexts full; Models counts the same">
      <b>≤ {formatBytes(engineBytes)}</b> of memory{each}, of {formatBytes(limitBytes)}
      {fewer}
    </span>
  );
};

/** What the measurement showed of the model, and whether RL can begin with its rewards; a cold start changes them. */
const ProbedWords = ({ probed, coldStart }: { probed: Probed; coldStart: boolean }) => {
  const { rollouts, right, formatValid, tokensPerSecond, decoded, bytes, allEqual } = probed;
  return (
    <>
      <span className="fine" data-testid="probed">
        measured: {formatCount(Math.round(tokensPerSecond))} tokens/s,{' '}
        {formatCount(Math.round(decoded))} tokens per rollout, {formatNumber(probed.searches)}{' '}
        searches, {right} of {rollouts} right, {formatValid} in the format, {formatBytes(bytes)} in
        use
      </span>
      {allEqual && rollouts > 1 && !coldStart ? (
        <span className="tone-hint">
          ⚠ All {rollouts} rewards were equal: rollouts like these teach nothing. Add a cold start
          on demonstrations, or choose easier questions.
        </span>
      ) : null}
    </>
  );
};

/** Time and memory of the run with these settings, and what the numbers are based on. */
export const Estimate = ({
  settings,
  answer,
  device,
}: {
  settings: TrainSettings;
  answer: Answer;
  device: DeviceChoice;
}) => {
  const { steps } = settings;
  const known = answer?.estimate;
  const measuring = useTrain((state) => state.measuring !== null);
  useMeasureWhenIdle({
    settings,
    device,
    estimate: answer?.of === settings ? answer.estimate : null,
  });
  return (
    <div
      className="estimate"
      role="status"
      data-testid="estimate"
      title={known?.time ? `≈ ${known.time.basis}` : undefined}
    >
      <span className="batch">{batchWords(settings)} per step</span>
      {known?.refusal ? (
        <span className="tone-bad" data-testid="does-not-fit">
          ⚠ {known.refusal}
        </span>
      ) : null}
      {known && !known.refusal ? (
        <>
          {known.time ? <Time time={known.time} steps={steps} /> : null}
          <Memory memory={known.memory} />
          {known.time || measuring ? null : (
            <span className="fine">Time per step: not measured on this device yet</span>
          )}
          <MeasureDevice settings={settings} device={device} again={known.time !== null} />
          {known.probed ? (
            <ProbedWords probed={known.probed} coldStart={settings.warmUp !== null} />
          ) : null}
          {known.time ? <span className="fine basis">{known.time.basis}</span> : null}
        </>
      ) : null}
      {known ? null : <span className="fine">{answer?.problem ?? 'Estimating …'}</span>}
    </div>
  );
};

/** A short run of the same kind, sized by what this device measured; null where the run is as short itself. */
export const useTry = (settings: TrainSettings | null, answer: Answer, device: DeviceChoice) => {
  const known = answer?.estimate?.time ?? null;
  const tried = useMemo(
    () => (settings && settings.steps > TRY_STEPS ? toTry(settings, known) : null),
    [settings, known],
  );
  const time = useEstimate(known ? tried : null, device)?.estimate?.time;
  if (!settings || !tried) return null;
  // Steps of the try may be smaller than those that the estimate is of.
  const smaller = tried.questions < settings.questions;
  const size = smaller ? ` of ${plural(tried.questions, 'question')}` : '';
  const seconds = time
    ? `, ≈ ${formatDuration(TRY_STEPS * time.secondsPerStep)} + ${formatDuration(time.secondsBefore)} before step 1`
    : '';
  return {
    settings: tried,
    words: `Try it: ${TRY_STEPS} steps${size}${seconds}`,
    title: `The same run with ten steps${smaller ? ` of ${tried.questions} questions instead of ${settings.questions}` : ''}; you can continue it to more steps afterwards`,
  };
};
