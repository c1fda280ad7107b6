import { Button } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { messageOf } from '../../../base/errors.ts';
import type { EvaluationSpec } from '../../../evaluate/systems/spec.ts';
import type { EvaluationEstimate } from '../../../lab/contract/evaluations.ts';
import { formatDuration } from '../../kit/words/duration.ts';
import { formatCount, plural } from '../../kit/words/format.ts';
import {
  cancelMeasure,
  evaluationsApi,
  measureDevice,
  startEvaluation,
} from '../store/evaluate-actions.ts';
import { formatEvaluateAddress } from '../store/evaluate-address.ts';
import { faultOf, useEvaluateDraft } from '../store/evaluate-draft.ts';
import { runningEvaluation, useEvaluate } from '../store/evaluate-store.ts';
import { readCustoms } from '../store/custom-actions.ts';
import { nameOfSpec } from './names.ts';
import { takenNames } from '../store/evaluate-store.ts';
import { PoliciesPicker } from './PoliciesPicker.tsx';
import { QuestionsPicker } from './QuestionsPicker.tsx';
import { RetrievalPicker } from './RetrievalPicker.tsx';
import { SamplingFields } from './SamplingFields.tsx';
import { SystemsPicker } from './SystemsPicker.tsx';

/** Idle time of the form before the lab is asked, ms. */
const REST_MS = 500;

type Answer =
  | { state: 'asking' }
  | { state: 'known'; estimate: EvaluationEstimate }
  | { state: 'failed'; message: string };

/** What the evaluation would take; asked again when the form rests. */
const useEstimate = (spec: EvaluationSpec, fault: string | null): Answer => {
  const device = useEvaluateDraft((state) => state.device);
  const ready = useEvaluate((state) => state.status === 'ready');
  const measured = useEvaluate((state) => state.measured);
  const [found, setFound] = useState<{
    to: EvaluationSpec;
    measured: number;
    answer: Answer;
  } | null>(null);
  useEffect(() => {
    if (!ready || fault !== null) return undefined;
    let live = true;
    const show = (answer: Answer): void => {
      if (live) setFound({ to: spec, measured, answer });
    };
    const ask = async () => {
      try {
        show({ state: 'known', estimate: await evaluationsApi().estimate(spec, device) });
      } catch (error) {
        show({ state: 'failed', message: messageOf(error) });
      }
    };
    const timer = setTimeout(() => void ask(), REST_MS);
    return () => {
      live = false;
      clearTimeout(timer);
    };
  }, [spec, device, ready, fault, measured]);
  // An answer to an earlier form is not shown for this one.
  return found?.to === spec && found.measured === measured ? found.answer : { state: 'asking' };
};

/** Times the first rollouts, which are kept, to estimate the rest. */
const Measure = ({ spec }: { spec: EvaluationSpec }) => {
  const device = useEvaluateDraft((state) => state.device);
  const measuring = useEvaluate((state) => state.measuring);
  const busy = useEvaluate((state) => runningEvaluation(state) !== undefined);
  if (measuring !== null)
    return (
      <span role="status" data-testid="measuring">
        Measuring this device: {measuring} …{' '}
        <button type="button" className="link" onClick={() => void cancelMeasure()}>
          Cancel
        </button>
      </span>
    );
  return (
    <Button
      size="xs"
      variant="default"
      disabled={busy}
      title="Runs the first rollouts of models not yet timed here; the evaluation reuses them"
      onClick={() => void measureDevice(spec, device)}
    >
      Measure this device
    </Button>
  );
};

/** Rows, questions, rollouts and time; systems that cannot run are named, with the reason in the tooltip. */
const Cost = ({ answer, spec }: { answer: Answer; spec: EvaluationSpec }) => {
  if (answer.state === 'failed') return <span className="tone-bad">⚠ {answer.message}</span>;
  if (answer.state === 'asking') return <span className="fine">Estimating …</span>;
  const { systems, skipped, questions, planned, reused, toMake, seconds, basis } = answer.estimate;
  return (
    <>
      <span>
        {plural(systems, 'row')} × {plural(questions, 'question')}
      </span>
      <span>
        <b>{formatCount(planned)}</b> rollouts
        {reused > 0 ? `, ${formatCount(reused)} of them reused` : ''}
      </span>
      {skipped.length > 0 ? (
        <span
          className="tone-hint"
          title={skipped.map(({ title, reason }) => `${title}: ${reason}.`).join('\n')}
        >
          ⚠ not run: {[...new Set(skipped.map(({ title }) => title))].join(', ')}
        </span>
      ) : null}
      {toMake === 0 ? (
        <b>nothing to run</b>
      ) : seconds === null ? (
        <Measure spec={spec} />
      ) : (
        <span title={`≈ ${basis}`}>
          <b>≈ {formatDuration(seconds)}</b> on this device
        </span>
      )}
      <span className="fine wide-only">{basis}</span>
    </>
  );
};

/** The cost estimate and the Run button. */
const Dock = () => {
  const [, go] = useLocation();
  const [starting, setStarting] = useState(false);
  const spec = useEvaluateDraft((state) => state.spec);
  const ready = useEvaluate((state) => state.status === 'ready');
  const running = useEvaluate((state) => runningEvaluation(state)?.name);
  const fault = faultOf(spec);
  const answer = useEstimate(spec, fault);
  const start = async () => {
    const { name, device } = useEvaluateDraft.getState();
    setStarting(true);
    const id = await startEvaluation(
      spec,
      name.trim() || nameOfSpec(spec, new Date().toISOString(), takenNames()),
      device,
    );
    setStarting(false);
    if (id === null) return;
    // The name belonged to this evaluation.
    useEvaluateDraft.setState({ name: '' });
    go(formatEvaluateAddress(id));
  };
  return (
    <div className="run-dock">
      <div className="estimate" role="status" data-testid="estimate">
        {fault === null ? (
          <Cost answer={answer} spec={spec} />
        ) : (
          <span className="tone-bad">⚠ {fault}</span>
        )}
      </div>
      <Button
        size="sm"
        loading={starting}
        disabled={!ready || fault !== null || running !== undefined}
        onClick={() => void start()}
      >
        Run
      </Button>
      {running === undefined ? null : (
        <span className="fine">“{running}” is running. Pause it first; one at a time.</span>
      )}
    </div>
  );
};

/** Systems × policies × questions × seeds × retrieval, with the cost before the start. */
export const NewEvaluation = () => {
  const ready = useEvaluate((state) => state.status === 'ready');
  useEffect(() => {
    if (ready) void readCustoms();
  }, [ready]);
  return (
    <div className="new-evaluation">
      <div className="chooser-systems">
        <h1>New evaluation</h1>
        <p className="lead">
          Every system runs on the same questions, so differences come from the system. Earlier
          rollouts with the same settings are reused.
        </p>
        <SystemsPicker />
      </div>
      {/* Next to the systems if there is room: the list of systems is long. */}
      <div className="chooser-rest">
        <PoliciesPicker />
        <QuestionsPicker />
        <RetrievalPicker />
        <SamplingFields />
      </div>
      <Dock />
    </div>
  );
};
