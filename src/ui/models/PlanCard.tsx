import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { PlanView } from '../../lab/contract/checkpoints.ts';
import { DASH, formatBytes, plural } from '../kit/words/format.ts';
import { storePreviewed, dropLook, lookNamed } from './store/checkpoint-actions.ts';
import { sameCheckpoint, useModels } from './store/models-store.ts';
import { ConfigFacts, GgufLine } from './parts/ConfigFacts.tsx';
import { storedHub } from './parts/hub.ts';
import { FitLine } from './fit/FitLine.tsx';
import { FitSummary } from './fit/FitSummary.tsx';

/** Whether the disk has room; unknown if the browser or the server does not report sizes. */
const Room = ({ view }: { view: PlanView }) => {
  const { bytes, freeBytes, unknownSizes } = view;
  if (freeBytes === null)
    return <span className="fine">The browser does not report its disk quota.</span>;
  if (bytes > freeBytes)
    return (
      <span className="tone-bad">
        Not enough disk: {formatBytes(Math.max(0, freeBytes))} left for this site. Delete models you
        no longer need, or free disk space.
      </span>
    );
  return (
    <span className="fine">
      {unknownSizes > 0
        ? `The server does not report the size of ${plural(unknownSizes, 'file')}; `
        : 'Fits: '}
      {formatBytes(freeBytes)} left for this site.
    </span>
  );
};

/** The files with their sizes, and how they are verified. */
const Files = ({ view: { plan, bytes } }: { view: PlanView }) => {
  const hashed = plan.files.filter(({ sha256 }) => sha256 !== null).length;
  return (
    <details>
      <summary>
        {plural(plan.files.length, 'file')}, {formatBytes(bytes)}
        {hashed > 0
          ? ` · ${hashed} with a SHA-256 to check against`
          : ' · no SHA-256 known; lengths and headers are checked'}
      </summary>
      <ul className="file-list">
        {plan.files.map((file) => (
          <li key={file.name}>
            <span className="ellipsis">{file.name}</span>
            <span className="figure">{file.bytes === null ? DASH : formatBytes(file.bytes)}</span>
          </li>
        ))}
      </ul>
    </details>
  );
};

/** The GGUF files of the repository: a click previews another one. */
const Ggufs = ({ view: { plan, ggufs } }: { view: PlanView }) => {
  if (ggufs.length === 0) return null;
  const chosen = plan.source.kind === 'hub' ? plan.source.file : undefined;
  return (
    <details open={chosen !== undefined && ggufs.length > 1}>
      <summary>{plural(ggufs.length, 'GGUF file')} in this repository</summary>
      <ul className="file-list" aria-label="GGUF files">
        {ggufs.map(({ path, bytes, address }) => (
          <li key={path}>
            {path === chosen ? (
              <b className="ellipsis">{path}</b>
            ) : (
              <button
                type="button"
                className="link ellipsis"
                onClick={() => void lookNamed(address, storedHub())}
              >
                {path}
              </button>
            )}
            <span className="figure">{bytes === null ? DASH : formatBytes(bytes)}</span>
          </li>
        ))}
      </ul>
    </details>
  );
};

/** A preview of what would be stored. */
export const PlanCard = ({ view }: { view: PlanView }) => {
  const { plan, facts, bytes, freeBytes } = view;
  const [name, setName] = useState(plan.title);
  const known = useModels((state) => sameCheckpoint(state.checkpoints, view));
  const local = plan.source.kind === 'folder' || plan.source.kind === 'file';
  return (
    <section className="panel plan-card" aria-label={`Preview of ${plan.title}`}>
      <h3>{plan.title}</h3>
      <ConfigFacts facts={facts} />
      {plan.gguf ? <GgufLine gguf={plan.gguf} /> : null}
      <FitLine question={{ config: plan.config, gguf: plan.gguf }} />
      <FitSummary config={plan.config} gguf={plan.gguf} />
      <Files view={view} />
      <Ggufs view={view} />
      <p>
        <Room view={view} />
      </p>
      {known ? (
        <p className="tone-hint">
          “{known.name}” on this device is the same model
          {known.state === 'ready' ? '.' : '; resume it instead of downloading twice.'}
        </p>
      ) : null}
      <div className="add-line">
        <TextInput
          size="xs"
          className="grow"
          label="Name"
          maxLength={200}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Button
          size="xs"
          // Without a known quota the download is tried.
          disabled={freeBytes !== null && bytes > freeBytes}
          onClick={() => void storePreviewed(name)}
        >
          {local ? 'Copy' : 'Download'} {formatBytes(bytes)}
        </Button>
        <Button size="xs" variant="default" onClick={dropLook}>
          Cancel
        </Button>
      </div>
    </section>
  );
};
