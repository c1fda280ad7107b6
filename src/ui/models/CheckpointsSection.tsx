import { useEffect } from 'react';
import type { PolicyRef } from '../../records/setup.ts';
import { formatBytes } from '../kit/words/format.ts';
import { FREED_LATER, UndoBar } from '../kit/UndoBar.tsx';
import { useFileDrop } from '../kit/use-file-drop.ts';
import {
  dismissCheckpointProblem,
  freeRemovedCheckpoints,
  lookLocal,
  refreshCheckpoints,
  restoreCheckpoint,
} from './store/checkpoint-actions.ts';
import { useCheckpoints } from './store/checkpoint-store.ts';
import { useStorageUse } from '../lab/storage.ts';
import { choosePolicy } from '../setup/setup-store.ts';
import { lostWords } from '../setup/setup-uses.ts';
import { BuiltInCard } from './BuiltInCard.tsx';
import { AddCheckpoint } from './AddCheckpoint.tsx';
import { CheckpointRow } from './CheckpointRow.tsx';
import { filesOfDrop } from './parts/folder-files.ts';

/** Polling interval while another tab downloads. */
const REFRESH_MS = 3000;

/** A tab that died sends no message, so the list is polled during its download. */
const useOtherTabs = (): void => {
  const elsewhere = useCheckpoints(({ checkpoints }) =>
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
    removed={useCheckpoints((state) => state.removed).map(({ uses, bytes, ...entry }) => ({
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
  const problem = useCheckpoints((state) => state.problem);
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
  const checkpoints = useCheckpoints((state) => state.checkpoints);
  const waiting = useCheckpoints((state) => state.status === 'waiting');
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

/** `waiting` is separate: "none yet" would be wrong while the list is loading. */
const List = ({ use }: { use: (policy: PolicyRef) => void }) => {
  const status = useCheckpoints((state) => state.status);
  const checkpoints = useCheckpoints((state) => state.checkpoints);
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
