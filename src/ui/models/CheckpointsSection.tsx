import { useEffect } from 'react';
import type { PolicyRef } from '../../records/setup.ts';
import { formatBytes, formatCount, formatParameters } from '../kit/words/format.ts';
import { FREED_LATER, UndoBar } from '../kit/UndoBar.tsx';
import { useFileDrop } from '../kit/use-file-drop.ts';
import {
  dismissCheckpointProblem,
  freeRemovedCheckpoints,
  lookLocal,
  refreshCheckpoints,
  restoreCheckpoint,
} from './store/checkpoint-actions.ts';
import { useModels } from './store/models-store.ts';
import { useStorageUse } from '../lab/storage.ts';
import { choosePolicy } from '../setup/setup-store.ts';
import { lostWords } from '../setup/setup-uses.ts';
import { parsePolicyConfig } from '../../policy/checkpoint/config.ts';
import { parameterCount } from '../../policy/checkpoint/weights.ts';
import { fileUrl } from '../kit/page/page-root.ts';
import { useAnswer } from '../kit/use-answer.ts';
import { FitLine } from './fit/FitLine.tsx';
import { CardLinks, UseAsPolicy } from './parts/UseAsPolicy.tsx';
import { AddCheckpoint } from './AddCheckpoint.tsx';
import { CheckpointRow } from './CheckpointRow.tsx';
import { filesOfDrop } from './parts/folder-files.ts';

/** Polling interval while another tab downloads. */
const REFRESH_MS = 3000;

/** A tab that died sends no message, so the list is polled during its download. */
const useOtherTabs = (): void => {
  const elsewhere = useModels(({ checkpoints }) =>
    checkpoints.some(({ state }) => state === 'elsewhere'),
  );
  useEffect(() => {
    if (!elsewhere) return undefined;
    const timer = setInterval(() => void refreshCheckpoints(), REFRESH_MS);
    return () => clearInterval(timer);
  }, [elsewhere]);
};

/** Deleted checkpoints until their space is freed, with what used them. */
const Undo = () => (
  <UndoBar
    removed={useModels((state) => state.removed).map(({ uses, bytes, ...entry }) => ({
      ...entry,
      lost: ` (${formatBytes(bytes)})${lostWords(uses)}`,
    }))}
    restore={(id) => void restoreCheckpoint(id)}
    note={FREED_LATER}
  >
    <button type="button" className="link" onClick={() => void freeRemovedCheckpoints()}>
      Free the space now
    </button>
  </UndoBar>
);

/** The last failure that is not about one checkpoint; download failures are in their row. */
const Problem = () => {
  const problem = useModels((state) => state.problem);
  if (!problem) return null;
  return (
    <div className="failure" role="alert">
      <b>⚠ {problem.message}</b>
      <p>{problem.next}</p>
      <button type="button" className="link" onClick={dismissCheckpointProblem}>
        Dismiss
      </button>
    </div>
  );
};

/** Size of all checkpoints, and of the quota of this site. */
const Storage = () => {
  const checkpoints = useModels((state) => state.checkpoints);
  const waiting = useModels((state) => state.status === 'waiting');
  const storage = useStorageUse();
  const bytes = checkpoints.reduce((sum, { doneBytes }) => sum + doneBytes, 0);
  return (
    <span className="fine">
      {waiting ? 'reading the checkpoints …' : `${formatBytes(bytes)} in checkpoints`}
      {storage === null
        ? ''
        : ` · ${formatBytes(storage.usedBytes)} of ${formatBytes(storage.quotaBytes)} stored by this site`}
    </span>
  );
};

/** Facts of a checkpoint before it is loaded. */
interface Served {
  config: Record<string, unknown>;
  parameters: number;
  /** Longest context, tokens. */
  context: number;
  /** Stored type in its config; empty if missing. */
  dtype: string;
  /** Size of its weights; null if the server does not report it. */
  bytes: number | null;
}

/** The checkpoint on the page's own server. */
const readServed = async (): Promise<Served> => {
  const [config, weights] = await Promise.all([
    fetch(fileUrl('policy/config.json')),
    // Only its length; the weights are read when the policy is opened.
    fetch(fileUrl('policy/model.safetensors'), { method: 'HEAD' }),
  ]);
  if (!config.ok) throw new Error(`policy/config.json: HTTP ${config.status}`);
  const contentLength = Number(weights.headers.get('content-length') ?? 0);
  const json = (await config.json()) as Record<string, unknown>;
  const shape = parsePolicyConfig(json);
  const dtype = json['torch_dtype'];
  return {
    config: json,
    parameters: parameterCount(shape),
    context: shape.maxPositions,
    dtype: typeof dtype === 'string' ? dtype : '',
    // A server that compresses reports the compressed length, or none.
    bytes:
      weights.ok && contentLength > 0 && !weights.headers.has('content-encoding')
        ? contentLength
        : null,
  };
};

/** The built-in policy. */
const BuiltInCard = ({ use }: { use: (policy: PolicyRef) => void }) => {
  const served = useAnswer('built-in', readServed);
  return (
    <li className="panel checkpoint-card" data-built-in>
      <div className="checkpoint-title">
        <h3>Built-in model</h3>
        <span className="badge">included</span>
      </div>
      {served.state === 'loading' ? <p className="fine">Reading its configuration …</p> : null}
      {served.state === 'failed' ? (
        <p className="fine tone-bad">⚠ Its configuration could not be read: {served.message}</p>
      ) : null}
      {served.state === 'ready' ? (
        <>
          <p className="fine">
            {formatParameters(served.value.parameters)} parameters ·{' '}
            {served.value.bytes === null
              ? 'size on disk unknown'
              : `${formatBytes(served.value.bytes)} on disk`}
            {served.value.dtype === '' ? '' : ` as ${served.value.dtype}`} · context{' '}
            {formatCount(served.value.context)} tokens
          </p>
          <FitLine question={{ config: served.value.config }} types />
        </>
      ) : null}
      <div className="checkpoint-actions">
        <UseAsPolicy policy={{ kind: 'built-in' }} name="the built-in model" use={use} />
        <CardLinks policy={{ kind: 'built-in' }} name="the built-in model" use={use} />
      </div>
    </li>
  );
};

/** `waiting` is separate: "none yet" would be wrong while the list is loading. */
const List = ({ use }: { use: (policy: PolicyRef) => void }) => {
  const status = useModels((state) => state.status);
  const checkpoints = useModels((state) => state.checkpoints);
  return (
    <>
      {status === 'waiting' ? <p role="status">Loading the list …</p> : null}
      {status !== 'waiting' && checkpoints.length === 0 ? (
        <p className="fine">
          No models yet. Open a GGUF file, enter a Hugging Face repository, or choose a folder with
          config.json, tokenizer.json and safetensors (Llama, Qwen, SmolLM, Gemma). Size and memory
          are shown before anything is downloaded.
        </p>
      ) : null}
      <ul className="checkpoints">
        <BuiltInCard use={use} />
        {checkpoints.map((checkpoint) => (
          <CheckpointRow key={checkpoint.id} checkpoint={checkpoint} use={use} />
        ))}
      </ul>
    </>
  );
};

/** Downloaded checkpoints in this browser. */
export const CheckpointsSection = ({
  use = choosePolicy,
}: {
  use?: (policy: PolicyRef) => void;
}) => {
  useOtherTabs();
  // A dropped file or folder is previewed like a chosen one.
  const drop = useFileDrop((dropped) => void filesOfDrop(dropped).then(lookLocal), true);
  return (
    <section
      className={
        drop.over
          ? 'cards-section checkpoints-section dropping'
          : 'cards-section checkpoints-section'
      }
      aria-labelledby="checkpoints"
      {...drop.handlers}
    >
      <div className="section-line">
        <h2 id="checkpoints">Models on this device</h2>
        <Storage />
      </div>
      <AddCheckpoint />
      <Problem />
      <Undo />
      <List use={use} />
    </section>
  );
};
