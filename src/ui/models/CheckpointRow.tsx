import { Button, TextInput } from '@mantine/core';
import { Select } from '../kit/Select.tsx';
import { useState } from 'react';
import type { CheckpointView } from '../../lab/contract/checkpoints.ts';
import { MATRIX_TYPES, STORE_TYPES } from '../../policy/ops/values.ts';
import type { PolicyRef } from '../../records/setup.ts';
import { formatDuration } from '../kit/words/duration.ts';
import { DASH, formatBytes, plural } from '../kit/words/format.ts';
import {
  holdCheckpointAs,
  holdContextsAs,
  pauseCheckpoint,
  removeCheckpoint,
  renameCheckpoint,
  resumeCheckpoint,
} from './store/checkpoint-actions.ts';
import { useModels } from './store/models-store.ts';
import { plainFiles } from './parts/folder-files.ts';
import { PickButton } from '../kit/PickButton.tsx';
import { ConfigFacts, GgufLine } from './parts/ConfigFacts.tsx';
import { Offers } from './Offers.tsx';
import { FitLine } from './fit/FitLine.tsx';
import { FitSummary } from './fit/FitSummary.tsx';
import { CardLinks, UseAsPolicy } from './parts/UseAsPolicy.tsx';
import { FolderButton } from './parts/FolderButton.tsx';

/** The source of the files, exact enough to fetch them again. */
const sourceText = ({ source, revision }: CheckpointView): string => {
  switch (source.kind) {
    case 'hub':
      return `${source.repository}${source.file === undefined ? '' : `/${source.file}`}@${source.revision}, commit ${revision?.slice(0, 8) ?? '?'}, from ${new URL(source.base).host}`;
    case 'url':
      return source.url;
    case 'folder':
      return `folder “${source.name}” on this machine`;
    case 'file':
      return `file “${source.name}” on this machine`;
  }
};

/** The name, edited in place: Enter and blur save, Escape discards. */
const Name = ({ checkpoint }: { checkpoint: CheckpointView }) => {
  const [text, setText] = useState<string | null>(null);
  // After renaming by keyboard the focus returns to the button.
  const [back, setBack] = useState(false);
  if (text === null)
    return (
      <>
        <h3 className="ellipsis">{checkpoint.name}</h3>
        <button
          type="button"
          className="link"
          aria-label={`Rename ${checkpoint.name}`}
          autoFocus={back}
          onClick={() => setText(checkpoint.name)}
        >
          rename
        </button>
      </>
    );
  const commit = () => {
    if (text.trim() !== '' && text.trim() !== checkpoint.name)
      void renameCheckpoint(checkpoint.id, text);
    setText(null);
  };
  return (
    <TextInput
      size="xs"
      className="grow"
      aria-label="Name of the checkpoint"
      autoFocus
      maxLength={200}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== 'Escape') return;
        // Otherwise the key would also press the newly focused button.
        event.preventDefault();
        setBack(true);
        if (event.key === 'Enter') commit();
        else setText(null);
      }}
    />
  );
};

/** "elsewhere": another tab downloads it; this one only watches. */
const BADGES = {
  ready: ['badge good', 'ready'],
  downloading: ['badge', 'downloading'],
  elsewhere: ['badge', 'downloading in another tab'],
  paused: ['badge', 'interrupted'],
} as const;

/** Nothing is downloaded from a file or folder of this machine. */
const COPY_BADGES = {
  downloading: ['badge', 'copying'],
  elsewhere: ['badge', 'copying in another tab'],
  paused: ['badge', 'interrupted'],
} as const;

const isLocal = ({ kind }: CheckpointView['source']): boolean =>
  kind === 'file' || kind === 'folder';

/** Red only for a failed download, not for a paused one. */
const StateBadge = ({ checkpoint: { state, failure, source } }: { checkpoint: CheckpointView }) => {
  const [className, text] =
    isLocal(source) && state !== 'ready' ? COPY_BADGES[state] : BADGES[state];
  const failed = state === 'paused' && failure !== null;
  return <span className={failed ? 'badge bad' : className}>{text}</span>;
};

/** Progress, rate and time left of a download. */
const Progress = ({ checkpoint }: { checkpoint: CheckpointView }) => {
  const progress = useModels((state) => state.progress[checkpoint.id]);
  const done = progress?.doneBytes ?? checkpoint.doneBytes;
  // A server may send more than announced; the bar ends at 100 %.
  const total = Math.max(progress?.totalBytes ?? checkpoint.totalBytes, done);
  const share = total === 0 ? 0 : done / total;
  // Progress of an earlier visit is not a rate.
  const moves = checkpoint.state !== 'paused' && progress !== undefined;
  return (
    <div className="download">
      <span
        className="meter"
        role="progressbar"
        aria-label={`Share of ${checkpoint.name} ${isLocal(checkpoint.source) ? 'copied' : 'stored'}`}
        aria-valuenow={Math.round(share * 100)}
        aria-valuemin={0}
        aria-valuemax={100}
      >
        <span style={{ width: `${share * 100}%` }} />
      </span>
      <p className="fine">
        <b>{formatBytes(done)}</b> of {formatBytes(total)}
        {moves && progress.waiting === null ? (
          <>
            {' '}
            · {formatBytes(Math.round(progress.bytesPerSecond))}/s ·{' '}
            {progress.secondsLeft === null ? DASH : `${formatDuration(progress.secondsLeft)} left`}{' '}
            · {progress.file}
          </>
        ) : null}
        {moves && progress.waiting !== null ? (
          <span className="tone-hint"> · {progress.waiting}</span>
        ) : null}
      </p>
    </div>
  );
};

/** Resumes a download. Browsers do not keep handles between visits: a folder or file must be chosen again. */
const Resume = ({ checkpoint: { id, name, source } }: { checkpoint: CheckpointView }) =>
  source.kind === 'file' ? (
    <PickButton
      size="compact-xs"
      accept=".gguf"
      field={`File of ${name}`}
      title="Browsers do not let pages remember files; choose the same one"
      onFiles={(files) => void resumeCheckpoint(id, plainFiles(files))}
    >
      Choose “{source.name}” again to resume
    </PickButton>
  ) : source.kind === 'folder' ? (
    <FolderButton
      size="compact-xs"
      field={`Folder of ${name}`}
      title="Browsers do not let pages remember folders; choose the same one"
      onFiles={(files) => void resumeCheckpoint(id, files)}
    >
      Choose “{source.name}” again to resume
    </FolderButton>
  ) : (
    <Button
      size="compact-xs"
      aria-label={`Resume ${name}`}
      onClick={() => void resumeCheckpoint(id)}
    >
      Resume
    </Button>
  );

/** The files with their hashes, and whether they match those of the hub. */
const Files = ({ checkpoint: { files } }: { checkpoint: CheckpointView }) => (
  <details>
    <summary>{plural(files.length, 'file')}</summary>
    <ul className="file-list">
      {files.map((file) => (
        <li key={file.name}>
          <span className="ellipsis">{file.name}</span>
          <span className="fine ellipsis" title={file.digest ?? undefined}>
            {file.digest === null
              ? 'incomplete'
              : `SHA-256 ${file.digest.slice(0, 12)}…${file.checked ? ', as listed by the hub' : ''}`}
          </span>
          <span className="figure">{formatBytes(file.doneBytes)}</span>
        </li>
      ))}
    </ul>
  </details>
);

/** Label of the automatic choice: the type that fits this device. */
const AUTOMATIC = 'automatic';

/** A storage type, or automatic. */
const Choice = <T extends string>(props: {
  label: string;
  /** The label with the checkpoint's name, for screen readers. */
  named: string;
  types: readonly T[];
  chosen: T | undefined;
  /** Null: automatic. */
  hold: (type: T | null) => void;
}) => (
  <Select
    size="xs"
    label={props.label}
    aria-label={props.named}
    data={[AUTOMATIC, ...props.types]}
    value={props.chosen ?? AUTOMATIC}
    onChange={({ currentTarget: { value } }) =>
      props.hold(props.types.find((type) => type === value) ?? null)
    }
  />
);

/** Types of weights and KV cache from the next load on. */
const HeldAs = ({ checkpoint: { id, name, weights, keys } }: { checkpoint: CheckpointView }) => (
  <div className="held-as">
    <Choice
      label="Weights stored as"
      named={`Weights of ${name} stored as`}
      types={MATRIX_TYPES}
      chosen={weights}
      hold={(type) => void holdCheckpointAs(id, type)}
    />
    <Choice
      label="KV cache stored as"
      named={`KV cache of ${name} stored as`}
      types={STORE_TYPES}
      chosen={keys}
      hold={(type) => void holdContextsAs(id, type)}
    />
  </div>
);

/** One checkpoint on this device, complete or not. */
export const CheckpointRow = (props: {
  checkpoint: CheckpointView;
  use: (policy: PolicyRef) => void;
}) => {
  const { checkpoint } = props;
  const { id, name, state, failure, facts, doneBytes } = checkpoint;
  return (
    <li className="panel checkpoint-card checkpoint" data-checkpoint={id} data-state={state}>
      <div className="checkpoint-title">
        <Name checkpoint={checkpoint} />
        <StateBadge checkpoint={checkpoint} />
        <span className="grow" />
        {state === 'ready' ? <span className="figure">{formatBytes(doneBytes)}</span> : null}
      </div>
      <p className="fine source">{sourceText(checkpoint)}</p>
      <ConfigFacts facts={facts} />
      {checkpoint.gguf ? <GgufLine gguf={checkpoint.gguf} /> : null}
      {state === 'ready' ? (
        <>
          <FitLine question={checkpoint} />
          <HeldAs checkpoint={checkpoint} />
          <FitSummary
            config={checkpoint.config}
            weights={checkpoint.weights}
            keys={checkpoint.keys}
            gguf={checkpoint.gguf}
          />
          <Files checkpoint={checkpoint} />
          <Offers checkpoint={checkpoint} />
        </>
      ) : (
        <Progress checkpoint={checkpoint} />
      )}
      {state === 'paused' && failure ? (
        <p className="tone-bad" role="alert">
          {failure.message} <span className="fine">{failure.next}</span>
        </p>
      ) : null}
      <div className="checkpoint-actions">
        {state === 'ready' ? (
          <>
            <UseAsPolicy policy={{ kind: 'checkpoint', id }} name={name} use={props.use} />
            <CardLinks policy={{ kind: 'checkpoint', id }} name={name} use={props.use} />
          </>
        ) : null}
        {state === 'paused' ? <Resume checkpoint={checkpoint} /> : null}
        {state === 'downloading' ? (
          <Button
            size="compact-xs"
            variant="default"
            aria-label={`Pause ${name}`}
            onClick={() => void pauseCheckpoint(id)}
          >
            Pause
          </Button>
        ) : null}
        {/* Another tab's download can be paused and cancelled there. */}
        {state === 'elsewhere' ? null : (
          <button
            type="button"
            className="link"
            aria-label={`${state === 'downloading' ? 'Cancel' : 'Delete'} ${name}`}
            onClick={() => void removeCheckpoint(id)}
          >
            {state === 'downloading' ? 'cancel' : 'delete'}
          </button>
        )}
      </div>
    </li>
  );
};
