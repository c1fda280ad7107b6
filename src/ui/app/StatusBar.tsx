import { useEffect, useState } from 'react';
import { Icon } from '../lib/Icon.tsx';
import { formatBytes, formatCount, formatParameters } from '../lib/format.ts';
import { cancelRun } from '../stores/actions.ts';
import { firstFailure, useLab } from '../stores/lab-store.ts';
import { isRunning, useRun } from '../stores/run-store.ts';

/** Bytes that this origin stores, read again when a run begins or ends. */
const useStorage = (moment: string | undefined): number | null => {
  const [usage, setUsage] = useState<number | null>(null);
  useEffect(() => {
    let live = true;
    const read = async () => {
      const estimate = await navigator.storage?.estimate();
      if (live && moment !== 'waiting') setUsage(estimate?.usage ?? null);
    };
    void read().catch(() => undefined);
    return () => {
      live = false;
    };
  }, [moment]);
  return usage;
};

const DeviceCell = () => {
  const device = useLab((state) => state.device);
  const policy = useLab((state) => state.policy);
  if (!device) return <span className="cell">device: not chosen yet</span>;
  return (
    <span className="cell" data-testid="device">
      {device.device} · {device.adapter}
      {device.fallback ? ' (software)' : ''} · {policy?.dtype ?? ''}
    </span>
  );
};

const PolicyCell = () => {
  const policy = useLab((state) => state.policy);
  const part = useLab((state) => state.parts.policy);
  return (
    <span className="cell" data-testid="policy">
      {policy ? `${policy.id} · ${formatParameters(policy.parameters)}` : `policy: ${part.status}`}
    </span>
  );
};

const LoadedCell = () => {
  const world = useLab((state) => state.world);
  const failed = useLab((state) => firstFailure(state)?.part);
  const parts = useLab((state) => state.parts);
  if (failed) return <span className="cell tone-bad">⚠ {failed} failed</span>;
  const loading = Object.entries(parts).filter(([, part]) => part.status !== 'ready');
  if (loading.length > 0) {
    return <span className="cell">loading {loading.map(([name]) => name).join(', ')}</span>;
  }
  return (
    <span className="cell">
      {world
        ? `world ${formatCount(world.localPassages)} local, ${formatCount(world.webPassages)} web`
        : 'loaded'}
    </span>
  );
};

const RATE_MEANS =
  'Tokens that the policy sampled in all rollouts of this run together, over its last two seconds; tokens that it only read are not counted.';

/** Device, policy, rate, storage, what runs, and the one stop button. */
export const StatusBar = () => {
  const run = useRun((state) => state.run);
  const count = useRun((state) => state.table.order.length);
  const done = useRun((state) => Object.keys(state.table.finished).length);
  const storage = useStorage(run?.status);
  const running = isRunning(run);
  return (
    <footer className="status" aria-label="Status" tabIndex={0}>
      <DeviceCell />
      <PolicyCell />
      <span className="cell figure" data-testid="rate" title={RATE_MEANS}>
        {run && run.tokensPerSecond > 0
          ? `${formatCount(run.tokensPerSecond)} tokens/s written by the policy`
          : 'no tokens written yet'}
      </span>
      <LoadedCell />
      <span className="cell" data-testid="run-status" role="status">
        {running ? `running ${done} / ${count || '…'}` : (run?.status ?? 'idle')}
      </span>
      <span className="cell">
        storage {storage === null ? 'not available' : formatBytes(storage)}
      </span>
      <span className="grow" />
      <button
        type="button"
        className="stop"
        disabled={!running}
        aria-label="Stop what is running"
        title="Stop what is running (Esc)"
        onClick={() => void cancelRun()}
      >
        <Icon name="stop" size={12} /> Stop
      </button>
    </footer>
  );
};
