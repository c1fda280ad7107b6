import { Button } from '@mantine/core';
import { useEffect, useMemo, useState } from 'react';
import { messageOf } from '../../../base/errors.ts';
import type { DeviceChoice } from '../../../lab/contract/settings.ts';
import type { Probed, TrainEstimate, TrainTime } from '../../../lab/contract/training.ts';
import type { TrainingMemory } from '../../../learn/replicas/training-memory.ts';
import type { TrainSettings } from '../../../recipes/parts/training.ts';
import { isStored } from '../../../recipes/parts/stage-loss.ts';
import { formatDuration } from '../../kit/words/duration.ts';
import { formatBytes, formatCount, formatNumber, plural } from '../../kit/words/format.ts';
import { useSetup } from '../../setup/setup-store.ts';
import { cancelMeasure, measureDevice } from '../store/train-actions.ts';
import { trainApi, useTrain } from '../store/train-store.ts';
import { toTry, TRY_STEPS } from '../store/try-run.ts';

/** What a run will take, measured on this device, and a short run that only tries. */

/** Wait for the form to rest before the lab is asked. */
const REST_MS = 350;

/** An estimate, or why there is none; null while the first one is on its way. */
export type Answer =
  | { estimate: TrainEstimate; problem: null }
  | { estimate: null; problem: string }
  | null;

/** The lab's estimate for the settings; null while there is none. */
export const useEstimate = (settings: TrainSettings | null, device: DeviceChoice): Answer => {
  const [answer, setAnswer] = useState<Answer>(null);
  // Before the lab is connected a question would fail, and be shown as the settings’ fault.
  const connected = useTrain((state) => state.status === 'ready');
  const measured = useTrain((state) => state.measured);
  const setup = useSetup((state) => state.setup);
  useEffect(() => {
    if (!connected || !settings) return undefined;
    let live = true;
    const ask = async () => {
      try {
        const estimate = await trainApi().estimate(settings, device, setup);
        if (live) setAnswer({ estimate, problem: null });
      } catch (error) {
        const problem = messageOf(error);
        if (live) setAnswer({ estimate: null, problem });
      }
    };
    const timer = setTimeout(() => void ask(), REST_MS);
    return () => {
      // An estimate of settings that have changed since is not shown.
      live = false;
      clearTimeout(timer);
    };
  }, [settings, device, setup, connected, measured]);
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

/** Seconds per step, in all, and before the first step. */
const Time = ({ time, steps }: { time: TrainTime; steps: number }) => (
  <>
    <span>
      <b>≈ {formatDuration(time.secondsPerStep)}</b> per step
    </span>
    <span className="total">
      <b>≈ {formatDuration(time.secondsPerStep * steps)}</b> for {plural(steps, 'step')}
    </span>
    {time.secondsBefore > 0 ? (
      <span>
        + <b>{formatDuration(time.secondsBefore)}</b> before the first
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

/** What the probe showed of the model, and whether its rewards teach anything. */
const ProbedWords = ({ probed }: { probed: Probed }) => {
  const { rollouts, right, formatValid, tokensPerSecond, decoded, bytes, allEqual } = probed;
  return (
    <>
      <span className="fine" data-testid="probed">
        measured: {formatCount(Math.round(tokensPerSecond))} tokens/s,{' '}
        {formatCount(Math.round(decoded))} tokens per rollout, {formatNumber(probed.searches)}{' '}
        searches, {right} of {rollouts} right, {formatValid} in the format, {formatBytes(bytes)} in
        use
      </span>
      {allEqual && rollouts > 1 ? (
        <span className="tone-hint">
          ⚠ All {rollouts} rewards were equal: rollouts like these teach nothing. Warm the model up
          on demonstrations, or take easier questions.
        </span>
      ) : null}
    </>
  );
};

/** Measures this device, and says what it does meanwhile. */
const Measure = ({
  settings,
  device,
  again,
}: {
  settings: TrainSettings;
  device: DeviceChoice;
  /** Whether there is a measurement already. */
  again: boolean;
}) => {
  const measuring = useTrain((state) => state.measuring);
  const blocked = useTrain((state) => state.here !== null || state.status !== 'ready');
  const setup = useSetup((state) => state.setup);
  if (measuring !== null)
    return (
      <span role="status" data-testid="measuring">
        Measuring this device: {measuring} …{' '}
        <button type="button" className="link" onClick={() => void cancelMeasure()}>
          Cancel
        </button>
      </span>
    );
  const start = () => void measureDevice(settings, device, setup);
  const title =
    'A few rollouts of these settings and one small update. Nothing of it is kept but the measurement.';
  return again ? (
    <button type="button" className="link" disabled={blocked} title={title} onClick={start}>
      Measure again
    </button>
  ) : (
    <Button size="xs" variant="default" disabled={blocked} title={title} onClick={start}>
      Measure this device
    </Button>
  );
};

/** Time and memory of the run as it is set, said before it is started, and what they rest on. */
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
          {known.time ? null : (
            <span className="fine">
              How long a step takes is not measured on this device yet; it shows after step 1, or
              now:
            </span>
          )}
          <Measure settings={settings} device={device} again={known.time !== null} />
          {known.probed ? <ProbedWords probed={known.probed} /> : null}
          {known.time ? <span className="fine basis">{known.time.basis}</span> : null}
        </>
      ) : null}
      {known ? null : (
        <span className="fine">{answer?.problem ?? 'Memory is counted in a moment.'}</span>
      )}
    </div>
  );
};

/** A short run of the same kind, sized by the rate of this device; null where the run is as short itself. */
export const useTry = (settings: TrainSettings | null, answer: Answer, device: DeviceChoice) => {
  const known = answer?.estimate?.time ?? null;
  const tried = useMemo(
    () => (settings && settings.steps > TRY_STEPS ? toTry(settings, known) : null),
    [settings, known],
  );
  const time = useEstimate(known ? tried : null, device)?.estimate?.time;
  if (!settings || !tried) return null;
  // Of the shortened run itself: its steps are smaller, and what comes before them is cut too.
  const seconds = time && TRY_STEPS * time.secondsPerStep + time.secondsBefore;
  const fewer = `The same run with ten steps of ${tried.questions} questions in place of ${settings.questions}`;
  return {
    settings: tried,
    words: `Try it: ${TRY_STEPS} steps${seconds ? `, ≈ ${formatDuration(seconds)}` : ''}`,
    title:
      tried.questions === settings.questions
        ? 'The same run with ten steps; it can go on to more afterwards'
        : `${fewer}${known ? ', for about two minutes on this device' : ''}; it can go on to more afterwards`,
  };
};
