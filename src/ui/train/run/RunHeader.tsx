import { splitWords } from '../../../lab/corpus/retrieval/split.ts';
import { Button, TextInput, NumberInput } from '@mantine/core';
import { useMemo, useState, type FormEvent } from 'react';
import { Link, useLocation } from 'wouter';
import type { RunRecord } from '../../../lab/contract/records/runs.ts';
import type { TrainProgress } from '../../../lab/contract/training.ts';
import { headlineOf } from '../../../evaluate/held-out-scores.ts';
import { trainingVerdict } from '../../../evaluate/training-verdict.ts';
import {
  nothingLearned,
  type NothingLearned,
  skippedWords,
} from '../../../learn/run/nothing-learned.ts';
import type { TrainStep } from '../../../records/training.ts';
import { VerdictLine } from '../../kit/page/VerdictLine.tsx';
import { askWith } from '../../ask/siblings/ask-with.ts';
import { formatDuration } from '../../kit/words/duration.ts';
import { formatAfterStep, formatCount } from '../../kit/words/format.ts';
import { Icon } from '../../kit/Icon.tsx';
import { downloadOf } from '../store/download-actions.ts';
import {
  dismissFrozen,
  resumeRun,
  setLearningRate,
  startTraining,
} from '../store/train-actions.ts';
import { trainingRun, trainsElsewhere, useTrain } from '../store/train-store.ts';
import { formatSweepAddress, formatTrainAddress } from '../store/train-address.ts';
import { Again } from './Again.tsx';
import { RunHeadline } from './Headline.tsx';
import {
  actionsOf,
  activityText,
  goOnWords,
  hasAdapter,
  isPrepared,
  learnedNothing,
  phaseText,
  stagesOf,
  STATUS_SIGNS,
  type Stage,
  stepShareText,
} from './run-words.ts';
import { StopChoices } from './StopChoices.tsx';
import { BUILT_IN_SETUP } from '../../../records/setup.ts';

/** The headline of a run that ended without an update: why, and what to change. */
const NothingLearnedNote = ({
  nothing: { headline, why, advice, before },
}: {
  nothing: NothingLearned;
}) => (
  <div className="failure" role="alert" data-testid="nothing-learned">
    <b>⚠ {headline}</b>
    <p>{why}</p>
    <ul>
      {advice.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
    {before ? null : (
      <p className="fine">
        The adapter is as it began, so it is not offered for download, for Ask or for export.
      </p>
    )}
  </div>
);

/** While a run trains: that its last step made no update, and how many did not. */
const SkippedNote = ({ steps }: { steps: readonly TrainStep[] }) => {
  const last = steps.at(-1);
  const words = last && skippedWords(last);
  if (!last || !words) return null;
  const skipped = steps.filter((step) => step.skipped !== undefined).length;
  return (
    <p className="note" data-testid="skipped">
      Step {formatCount(last.step)}: {words}.{' '}
      {skipped > 1 ? `${formatCount(skipped)} of ${formatCount(steps.length)} steps so far.` : ''}
    </p>
  );
};

/** What a run can go without where its cold start found nothing of the policy's own to learn from. */
const WithoutWarmUp = ({ run }: { run: RunRecord }) => {
  const [, go] = useLocation();
  const [starting, setStarting] = useState(false);
  const other = useTrain((state) => trainingRun(state)?.name);
  const start = async () => {
    const { settings, setup = BUILT_IN_SETUP, device } = run;
    setStarting(true);
    const id = await startTraining({
      settings: { ...settings, warmUp: null },
      name: `${run.name}, no cold start`,
      device,
      demonstrations: null,
      setup,
    });
    setStarting(false);
    if (id !== null) go(formatTrainAddress({ run: id, step: null }));
  };
  return (
    <>
      <p>
        It can train without: rewards are then all that it learns from. To keep the cold start, open
        a new run with these settings and, under “Cold start, then RL”, switch “On its own rollouts”
        off and choose a file of demonstrations, or allow more “Rollouts tried”; or choose another
        model under “Model and data”.
      </p>
      <div className="failure-actions">
        <Button
          size="xs"
          loading={starting}
          disabled={other !== undefined}
          title={
            other === undefined
              ? 'A new run with the same settings, questions and passages'
              : `“${other}” is training; one run at a time`
          }
          onClick={() => void start()}
        >
          Train without the cold start
        </Button>
        <Again run={run} />
      </div>
    </>
  );
};

/** More steps for a run that reached its last one; its adapter, curriculum and schedule continue. */
const GoOn = ({ run }: { run: RunRecord }) => {
  // Text while it is not a number.
  const [steps, setSteps] = useState<number | string>(run.settings.steps + 10);
  const other = useTrain((state) => trainingRun(state)?.name);
  const over = run.step >= run.settings.steps && run.status !== 'running';
  // An imported run may have come without a snapshot: there is nothing to continue from.
  if (!over || run.checkpointStep === null) return null;
  const valid = typeof steps === 'number' && Number.isInteger(steps) && steps > run.step;
  return (
    <form
      className="rate-control"
      onSubmit={(event) => {
        event.preventDefault();
        if (valid) void resumeRun(run.id, undefined, steps);
      }}
    >
      <label htmlFor="go-on" className="fine">
        Go on to step
      </label>
      <NumberInput
        id="go-on"
        size="xs"
        min={run.step + 1}
        allowDecimal={false}
        value={steps}
        error={valid ? undefined : `More than ${formatCount(run.step)}.`}
        onChange={setSteps}
      />
      <Button
        type="submit"
        size="xs"
        variant="default"
        disabled={!valid || other !== undefined}
        title={
          other === undefined
            ? 'Trains on from the last snapshot, here'
            : `“${other}” is training; one run at a time`
        }
      >
        Go on
      </Button>
    </form>
  );
};

/** States that are good or bad news; the others are neither. */
const TONES: Partial<Record<RunRecord['status'], string>> = { failed: 'bad', finished: 'good' };

/**
 * The state of a run by sign and word, never by colour alone. End-to-end tests read `data-status`.
 */
export const StatusBadge = ({ run }: { run: RunRecord }) => {
  const { status, sweep, step } = run;
  const nothing = learnedNothing(run);
  const look = nothing ? STATUS_SIGNS.failed : STATUS_SIGNS[status];
  // A cell of a sweep that was not begun was not paused by anyone.
  const word = sweep && status === 'paused' && step === 0 ? 'waiting' : status;
  return (
    <span className={`badge ${nothing ? '' : (TONES[status] ?? '')}`} data-status={status}>
      {'icon' in look ? (
        <Icon name={look.icon} size={10} />
      ) : (
        <span aria-hidden="true">{look.sign}</span>
      )}{' '}
      {nothing ? `${word}, nothing learned` : word}
    </span>
  );
};

/** A learning rate for the steps to come; the schedule and warm-up no longer apply to it. */
const RateControl = ({ run, current }: { run: RunRecord; current: number | null }) => {
  const [text, setText] = useState('');
  const [asked, setAsked] = useState<number | null>(null);
  const rate = Number(text);
  const valid = text.trim() !== '' && Number.isFinite(rate) && rate > 0;
  const apply = async (event: FormEvent) => {
    event.preventDefault();
    if (!valid) return;
    await setLearningRate(run.id, rate);
    setAsked(rate);
    setText('');
  };
  // The run takes the new rate with its next step; until a step reports it, it is only asked for.
  const pending = asked !== null && asked !== current;
  return (
    <form className="rate-control" onSubmit={(event) => void apply(event)}>
      <label htmlFor="learning-rate" className="fine">
        Learning rate
      </label>
      <TextInput
        id="learning-rate"
        size="xs"
        inputMode="decimal"
        placeholder={
          current === null ? String(run.settings.optimizer.learningRate) : String(current)
        }
        value={text}
        error={text !== '' && !valid ? 'A number above 0.' : undefined}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Button type="submit" size="xs" variant="default" disabled={!valid}>
        Set
      </Button>
      <span className="fine" role="status">
        {pending ? `${asked} from the next step on` : ''}
      </span>
    </form>
  );
};

/**
 * What can be done with the run in its state. One run trains at a time, so another one that trains
 * disables resuming and says why.
 */
const Buttons = ({ run, made }: { run: RunRecord; made: number }) => {
  const [, go] = useLocation();
  const can = actionsOf(run);
  const other = useTrain((state) => trainingRun(state)?.name);
  const progress = useTrain((state) => state.progress[run.id]);
  const goOn = goOnWords(run);
  return (
    <div className="run-buttons">
      {can.stop ? <StopChoices run={run} progress={progress} made={made} /> : null}
      {can.resume ? (
        <Button
          size="xs"
          leftSection={<Icon name="play" size={12} />}
          disabled={other !== undefined}
          title={other === undefined ? goOn.title : `“${other}” is training; one run at a time`}
          onClick={() => void resumeRun(run.id)}
        >
          {goOn.name}
        </Button>
      ) : null}
      {/* A GPU that was lost once may be lost again; the checkpoint does not depend on the
          device. */}
      {can.resume && run.device === 'webgpu' && run.status === 'failed' ? (
        <Button
          size="xs"
          variant="default"
          disabled={other !== undefined}
          title="Slower, but no GPU can be lost; the snapshot is the same"
          onClick={() => void resumeRun(run.id, 'wasm')}
        >
          Resume on WASM
        </Button>
      ) : null}
      {hasAdapter(run) ? (
        <>
          <button
            type="button"
            className="link"
            title="Opens Ask with what this run works with, its recipe and its newest adapter; earlier ones can be chosen there"
            onClick={() =>
              void askWith(
                run,
                { policy: { kind: 'run', run: run.id, step: null }, beside: null },
                null,
                go,
              )
            }
          >
            Ask with this adapter
          </button>
          <button
            type="button"
            className="link"
            title={
              run.settings.adapter.gates
                ? 'One zip for Python PEFT, which leaves the gates in latent_gates.safetensors: there it thinks only in tokens'
                : 'One zip for Python PEFT: adapter_model.safetensors, adapter_config.json'
            }
            onClick={() => void downloadOf(run.id, 'peft')}
          >
            Download the adapter
          </button>
        </>
      ) : null}
    </div>
  );
};

const STAGE_WORDS = { done: 'done', waiting: 'to come' } as const;

/** What is made before step 1: its name and how far it is. */
const StageRow = ({
  stage: { name, state, done, total },
  share,
}: {
  stage: Stage;
  share: number;
}) => (
  <div
    className="run-progress-row"
    data-stage={state}
    data-testid={state === 'active' ? 'phase' : 'stage'}
  >
    <span className="progress-name">{name}</span>
    <progress
      className="bar thin"
      max={1}
      value={state === 'done' ? 1 : state === 'waiting' ? 0 : share}
      aria-label={name}
    />
    <span className="fine">
      {state === 'active'
        ? total > 1
          ? `${formatCount(done)} / ${formatCount(total)}`
          : 'under way'
        : STAGE_WORDS[state]}
    </span>
  </div>
);

/** Steps of the run, and below how far the step under way is, by the time that its phases take. */
const Progress = ({ run, progress }: { run: RunRecord; progress: TrainProgress | undefined }) => {
  const { steps } = run.settings;
  const live = run.status === 'running' && progress !== undefined;
  // The record is written after a step; progress says which one is under way.
  const step = live ? Math.max(run.step, progress.step) : run.step;
  const stages = live ? stagesOf(run.settings, progress, run.step) : [];
  return (
    <div className="run-progress">
      <div className="run-progress-row">
        <span className="progress-name">
          step <b>{formatCount(stages.length > 0 ? run.step : step)}</b> / {formatCount(steps)}
        </span>
        <progress className="bar" max={steps} value={run.step} aria-label="Steps done" />
        <span className="fine">
          {live && progress.etaSeconds !== null
            ? `≈ ${formatDuration(progress.etaSeconds)} to go`
            : live
              ? 'Time left appears after step 1'
              : ''}
        </span>
      </div>
      {stages.map((stage) => (
        <StageRow key={stage.name} stage={stage} share={progress?.share ?? 0} />
      ))}
      {live && !stages.some(({ state }) => state === 'active') ? (
        <div className="run-progress-row" data-testid="phase">
          <span className="progress-name">{phaseText(progress)}</span>
          <progress
            className="bar thin"
            max={1}
            // By the time that phases take, since rollouts and update are of different lengths; it never falls within a
            // step.
            value={progress.share}
            aria-label="The step under way"
          />
          <span className="fine">{stepShareText(progress)}</span>
        </div>
      ) : null}
      {live ? (
        <p className="fine run-activity" data-testid="activity">
          {activityText(progress)}
          {progress.activity.writing > 0 && progress.activity.text !== '' ? (
            <>
              {' · '}
              <span className="run-text">… {progress.activity.text}</span>
            </>
          ) : null}
        </p>
      ) : null}
    </div>
  );
};

/** What happened that is not a failure, in a live region so that it is read out when it arrives. */
const Notices = ({ run, progress }: { run: RunRecord; progress: TrainProgress | undefined }) => {
  const frozen = useTrain((state) => state.frozen);
  const live = run.status === 'running';
  const elsewhere = useTrain((state) => trainsElsewhere(state, run));
  // The last notice of a run that ended is stored with it.
  const notice = (live ? progress?.notice : null) ?? run.notice;
  return (
    <div role="status">
      {elsewhere ? (
        <p className="note">This run is training in another tab; the buttons here control it.</p>
      ) : null}
      {notice ? <p className="note">{notice}</p> : null}
      {run.startedFrom ? (
        <p className="fine">
          Started from the adapter of{' '}
          <Link href={formatTrainAddress({ run: run.startedFrom.run, step: null })}>
            {run.startedFrom.name}
          </Link>
          , {formatAfterStep(run.startedFrom.step)}.
        </p>
      ) : null}
      {run.before?.map((line) => (
        <p key={line} className="fine">
          {line}
        </p>
      ))}
      {run.world.split ? (
        <p className="fine">Your questions: {splitWords(run.world.split)}.</p>
      ) : null}
      {frozen && live ? (
        <p className="note">
          {frozen}{' '}
          <button type="button" className="link" onClick={dismissFrozen}>
            Dismiss
          </button>
        </p>
      ) : null}
    </div>
  );
};

/** Why a run ended or paused by itself, and what of it is kept. */
const Failed = ({ run }: { run: RunRecord }) =>
  run.failure && run.status !== 'running' ? (
    <div className="failure" role="alert">
      <b>
        ⚠ The run {run.status === 'paused' ? 'paused' : 'ended'}{' '}
        {run.step === 0 ? 'before its first step' : `after step ${run.step}`}
      </b>
      <p>{run.failure.message}</p>
      <p className="fine">
        {run.checkpointStep === null
          ? 'No snapshot was written before.'
          : isPrepared(run)
            ? 'Kept: what was made before step 1.'
            : `Kept: everything up to the snapshot of step ${run.checkpointStep}.`}
      </p>
      {run.failure.kind === 'no-demonstrations' ? (
        <WithoutWarmUp run={run} />
      ) : (
        <div className="failure-actions">
          {run.status === 'paused' ? <Link href="/runs">Free storage on the runs page</Link> : null}
          <Again run={run} />
        </div>
      )}
      {run.failure.detail ? (
        <details>
          <summary>Details</summary>
          <pre>{run.failure.detail}</pre>
        </details>
      ) : null}
    </div>
  ) : null;

/** Name, state, progress and what can be done with the run. */
export const RunHeader = ({ run, steps }: { run: RunRecord; steps: readonly TrainStep[] }) => {
  const last = steps.at(-1);
  const progress = useTrain((state) => state.progress[run.id]);
  const nothing = useMemo(() => nothingLearned(steps, run.settings), [steps, run.settings]);
  const headline = useMemo(() => headlineOf(steps), [steps]);
  const { status, step, settings } = run;
  const verdict = trainingVerdict({ status, step, steps: settings.steps, headline, nothing });
  return (
    <header className="run-head">
      <div className="run-title">
        <h1>{run.name}</h1>
        <StatusBadge run={run} />
        <span className="fine">
          {run.settings.preset} · loop {run.settings.recipe} · seed {run.settings.seed} ·{' '}
          {run.device} · {run.policy.id}
        </span>
        <span className="grow" />
        {run.sweep ? <Link href={formatSweepAddress(run.sweep.id)}>Its sweep</Link> : null}
        <Link href={`/runs?compare=${run.id}`}>Compare</Link>
        <Link href="/train?new=1">New run</Link>
      </div>
      {nothing && run.status !== 'running' ? (
        <NothingLearnedNote nothing={nothing} />
      ) : (
        <VerdictLine verdict={verdict} />
      )}
      <RunHeadline run={run} steps={steps} />
      <Progress run={run} progress={progress} />
      <Failed run={run} />
      <Notices run={run} progress={progress} />
      {run.status === 'running' ? <SkippedNote steps={steps} /> : null}
      <div className="run-controls">
        <Buttons run={run} made={last?.step ?? 0} />
        {run.status === 'running' ? (
          <RateControl run={run} current={last?.learningRate ?? null} />
        ) : null}
        {/* Keyed by the step: its number restarts after each stretch. */}
        <GoOn key={run.step} run={run} />
      </div>
    </header>
  );
};
