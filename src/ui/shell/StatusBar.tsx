import { Link } from 'wouter';
import { Icon } from '../kit/Icon.tsx';
import { deviceWords } from '../kit/words/device-words.ts';
import { formatBytes, formatCount, formatParameters } from '../kit/words/format.ts';
import { useStorageUse } from '../lab/storage.ts';
import { cancelRun } from '../ask/store/actions.ts';
import { formatEvaluateAddress } from '../evaluate/store/evaluate-address.ts';
import { stopEvaluation } from '../evaluate/store/evaluate-actions.ts';
import { runningEvaluation, runsElsewhere, useEvaluate } from '../evaluate/store/evaluate-store.ts';
import { formatTrainAddress } from '../train/store/train-address.ts';
import { trainingRun, trainsElsewhere, useTrain } from '../train/store/train-store.ts';
import { phaseText } from '../train/run/run-words.ts';
import { StopChoices } from '../train/run/StopChoices.tsx';
import type { SourceFacts } from '../../lab/contract/ask.ts';
import { firstFailure, partsInUse, useSession } from '../kit/session-store.ts';
import { isolation } from '../lab/isolation.ts';
import { isRunning, useAsk } from '../ask/store/ask-store.ts';

/** What the model of Ask runs on, or what trains while none is loaded; the number type is its title. */
const DeviceCell = () => {
  const device = useSession((state) => state.device);
  const policy = useSession((state) => state.policy);
  const run = useTrain(trainingRun);
  // Training has its own workers.
  if (!device)
    return run ? (
      <span className="cell">training on the {run.device === 'wasm' ? 'CPU' : 'GPU'}</span>
    ) : null;
  return (
    <span className="cell" data-testid="device" title={policy?.onDevice ?? policy?.dtype}>
      {deviceWords(device)}
    </span>
  );
};

/** The loaded model and its size, or how far it has loaded. */
const PolicyCell = () => {
  const policy = useSession((state) => state.policy);
  const part = useSession((state) => state.parts.policy);
  const needed = useSession((state) => state.needed.has('policy'));
  const trained = useTrain((state) => trainingRun(state)?.policy.id);
  if (!policy && trained !== undefined && part.status === 'waiting')
    return <span className="cell">{trained}</span>;
  // LoadedCell already says that it is being loaded, or that nothing is.
  if (part.status === 'loading' || (!policy && part.status === 'waiting' && !needed)) return null;
  return (
    <span className="cell" data-testid="policy">
      {policy
        ? `${policy.id}, ${formatParameters(policy.parameters)} parameters`
        : `model: ${part.status}`}
    </span>
  );
};

const LOADED_MEANS =
  'The built-in world, search and the model load with the first page that needs them: Ask, Train, Corpus or Models.';

const passagesWords = (sources: SourceFacts): string => {
  const local = formatCount(sources.localPassages);
  if (sources.web !== null) return `${local} local passages, web: ${sources.web}`;
  return sources.webPassages
    ? `${local} local + ${formatCount(sources.webPassages)} web passages`
    : `${local} local passages`;
};

const partName = (part: string): string => (part === 'policy' ? 'model' : part);

/** Loaded parts: first a failure, then what is loading, then the searched passages. */
const LoadedCell = () => {
  const sources = useSession((state) => state.sources);
  const failed = useSession((state) => firstFailure(state)?.part);
  const parts = useSession((state) => state.parts);
  const needed = useSession((state) => state.needed);
  if (failed) return <span className="cell tone-bad">⚠ {partName(failed)} failed</span>;
  const used = partsInUse({ parts, needed });
  if (used.length === 0) {
    return (
      <span className="cell" title={LOADED_MEANS}>
        nothing loaded yet
      </span>
    );
  }
  const loading = used.filter(([, part]) => part.status !== 'ready');
  if (loading.length > 0) {
    return (
      <span className="cell">loading {loading.map(([name]) => partName(name)).join(', ')}</span>
    );
  }
  return <span className="cell">{sources ? passagesWords(sources) : 'loaded'}</span>;
};

/** The current training run, with a link, on every page. */
const TrainingCell = () => {
  const run = useTrain(trainingRun);
  const progress = useTrain((state) => (run ? state.progress[run.id] : undefined));
  const elsewhere = useTrain((state) => run !== undefined && trainsElsewhere(state, run));
  if (!run) return null;
  return (
    <span className="cell" data-testid="training">
      <Link href={formatTrainAddress({ run: run.id, step: null })}>
        training{elsewhere ? ' in another tab' : ''}, step {Math.max(run.step, progress?.step ?? 0)}{' '}
        / {run.settings.steps}
      </Link>
      {progress ? ` · ${phaseText(progress)}` : ''}
    </span>
  );
};

/** The current evaluation, with a link, on every page. */
const EvaluationCell = () => {
  const running = useEvaluate(runningEvaluation);
  const progress = useEvaluate((state) => (running ? state.progress[running.id] : undefined));
  const elsewhere = useEvaluate((state) => running !== undefined && runsElsewhere(state, running));
  if (!running) return null;
  return (
    <span className="cell" data-testid="evaluating">
      <Link href={formatEvaluateAddress(running.id)}>
        evaluating{elsewhere ? ' in another tab' : ''},{' '}
        {formatCount(progress?.done ?? running.done)} /{' '}
        {running.planned > 0 ? formatCount(running.planned) : '…'}
      </Link>
    </span>
  );
};

/** Whether the page works offline; empty while unknown. */
const OfflineCell = () => {
  const { status, reason } = useSession((state) => state.offline);
  if (status === 'waiting') return null;
  const words = {
    storing: 'storing for offline use',
    ready: 'works offline',
    unavailable: 'needs its server',
  }[status];
  const title = {
    storing: 'The files of the page are being stored on this device.',
    ready: 'The files of the page are stored on this device: it opens without its server.',
    unavailable: `The page could not be stored on this device: ${reason}.`,
  }[status];
  return (
    <span className="cell" data-testid="offline" title={title}>
      {words}
    </span>
  );
};

/** Empty if the host sends the headers, or the service worker did on an earlier visit. */
const IsolationCell = () => {
  const { by, reason } = isolation();
  if (by === 'host') return null;
  const title = {
    reloaded:
      'This host does not send the headers that isolate a page. The page’s service worker adds them, which took one reload.',
    nobody: `This host does not send the headers that isolate a page, and ${reason}. So threads cannot share memory, clocks are coarse (about 0.1 ms), and the memory shown excludes workers. Everything else works; each worker uses one thread.`,
  }[by];
  return (
    <span className="cell" data-testid="isolation" title={title}>
      {by === 'reloaded' ? 'isolated by a reload' : 'not isolated: one thread per worker'}
    </span>
  );
};

const RATE_MEANS =
  'Tokens sampled by the model in all rollouts of this run over the last two seconds; prefilled tokens do not count.';

const STOP = 'Stop what is running';

/** Stops a run of Ask or an evaluation at once; for training it offers the choices of the run's page. */
const Stop = () => {
  const running = useAsk((state) => isRunning(state.run));
  const evaluating = useEvaluate((state) => runningEvaluation(state) !== undefined);
  const trains = useTrain(trainingRun);
  const progress = useTrain((state) => (trains ? state.progress[trains.id] : undefined));
  const made = useTrain((state) => (trains ? state.steps[trains.id]?.at(-1)?.step : undefined));
  // The most recent activity ends first; its results are kept.
  if (trains && !running && !evaluating)
    return <StopChoices run={trains} progress={progress} made={made ?? 0} inBar={STOP} />;
  return (
    <button
      type="button"
      className="stop"
      disabled={!running && !evaluating}
      aria-label={STOP}
      title={
        evaluating && !running
          ? 'Pause the evaluation; finished rollouts are kept'
          : `${STOP} (Esc)`
      }
      onClick={() => void (running ? cancelRun() : stopEvaluation())}
    >
      <Icon name="stop" size={12} /> Stop
    </button>
  );
};

/** Device, model, rate, storage, activity, and the stop button. */
export const StatusBar = () => {
  const run = useAsk((state) => state.run);
  const count = useAsk((state) => state.table.order.length);
  const done = useAsk((state) => Object.keys(state.table.finished).length);
  const storage = useStorageUse();
  const running = isRunning(run);
  return (
    // Focusable, because it scrolls horizontally in narrow windows.
    <footer className="status" aria-label="Status" tabIndex={0}>
      <DeviceCell />
      <PolicyCell />
      {run && run.tokensPerSecond > 0 ? (
        <span className="cell figure" data-testid="rate" title={RATE_MEANS}>
          {formatCount(run.tokensPerSecond)} tokens/s sampled
        </span>
      ) : null}
      <LoadedCell />
      <span className="cell" data-testid="run-status" role="status">
        {running ? `running ${done} / ${count || '…'}` : (run?.status ?? 'idle')}
      </span>
      <TrainingCell />
      <EvaluationCell />
      <span className="cell" data-testid="storage-used">
        storage {storage === null ? 'not available' : formatBytes(storage.usedBytes)}
      </span>
      <OfflineCell />
      <IsolationCell />
      <span className="grow" />
      <Stop />
    </footer>
  );
};
