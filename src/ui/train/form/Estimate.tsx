import { useEffect, useMemo, useState } from 'react';
import { messageOf } from '../../../base/errors.ts';
import type { DeviceChoice } from '../../../lab/contract/settings.ts';
import type { TrainEstimate } from '../../../lab/contract/training.ts';
import type { TrainSettings } from '../../../recipes/parts/training.ts';
import { isStored } from '../../../recipes/parts/stage-loss.ts';
import { formatDuration } from '../../kit/words/duration.ts';
import { formatBytes, formatCount, plural } from '../../kit/words/format.ts';
import { useSetup } from '../../setup/setup-store.ts';
import { trainApi, useTrain } from '../store/train-store.ts';
import { toTry, TRY_STEPS } from '../store/try-run.ts';

/** What a run will take, and one that tries, before either is started. */

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
  }, [settings, device, setup, connected]);
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

/**
 * Time and memory of the run as it is set, said before it is started; the tooltip says what the
 * estimate rests on.
 */
export const Estimate = ({ settings, answer }: { settings: TrainSettings; answer: Answer }) => {
  const { steps } = settings;
  return (
    <div
      className="estimate"
      role="status"
      data-testid="estimate"
      title={answer?.estimate ? `≈ ${answer.estimate.basis}` : undefined}
    >
      <span className="batch">{batchWords(settings)} a step</span>
      {answer?.estimate ? (
        <>
          <span>
            <b>≈ {formatDuration(answer.estimate.secondsPerStep)}</b> a step
          </span>
          <span className="total">
            <b>≈ {formatDuration(answer.estimate.secondsPerStep * steps)}</b> for{' '}
            {formatCount(steps)} steps
          </span>
          <span>
            <b>≈ {formatDuration(answer.estimate.secondsBefore)}</b> before the first
          </span>
          <span>
            <b>≈ {formatBytes(answer.estimate.peakBytes)}</b> of memory at the peak
          </span>
          <span className="fine basis">{answer.estimate.basis}</span>
        </>
      ) : (
        <span className="fine">
          {answer?.problem ?? 'Time and memory are estimated in a moment.'}
        </span>
      )}
    </div>
  );
};

/** A short run of the same kind, sized by the rate of this device; null where the run is as short itself. */
export const useTry = (settings: TrainSettings | null, answer: Answer, device: DeviceChoice) => {
  const known = answer?.estimate ?? null;
  const tried = useMemo(
    () => (settings && settings.steps > TRY_STEPS ? toTry(settings, known) : null),
    [settings, known],
  );
  const estimate = useEstimate(known ? tried : null, device)?.estimate;
  if (!settings || !tried) return null;
  // Of the shortened run itself: its steps are smaller, and what comes before them is cut too.
  const seconds = estimate && TRY_STEPS * estimate.secondsPerStep + estimate.secondsBefore;
  return {
    settings: tried,
    words: `Try it: ${TRY_STEPS} steps${seconds ? `, ≈ ${formatDuration(seconds)}` : ''}`,
    title:
      tried.questions === settings.questions
        ? 'The same run with ten steps; it can go on to more afterwards'
        : `The same run with ten steps of ${tried.questions} questions in place of ${settings.questions}, for about two minutes on this device; it can go on to more afterwards`,
  };
};
