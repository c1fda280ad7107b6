import { Button } from '@mantine/core';
import type { Failure } from '../../lab/contract/records/failure.ts';
import type { PartState } from '../../lab/contract/progress.ts';
import { CopyButton } from '../kit/CopyButton.tsx';
import { formatDuration } from '../kit/words/duration.ts';
import { formatBytes } from '../kit/words/format.ts';
import { retryLoading } from './connection.ts';
import { firstFailure, partsInUse, useSession } from '../kit/session-store.ts';
import { useShallow } from 'zustand/react/shallow';

const PART_NAMES: Record<string, string> = {
  world: 'World',
  retrieval: 'Retrieval',
  policy: 'Model',
};

/** Fraction of the bytes; undefined after a failure or for an unknown size. */
const shareOf = (part: PartState): number => {
  if (part.status === 'ready') return 1;
  if (part.status === 'failed') return 0;
  if (part.share !== undefined) return part.share;
  if (part.totalBytes === 0) return 0;
  return Math.min(1, part.loadedBytes / part.totalBytes);
};

/** Working, but its progress is unknown. */
const isOpenEnded = ({ status, share, totalBytes }: PartState): boolean =>
  status === 'loading' && share === undefined && totalBytes === 0;

const bytesOf = ({ loadedBytes, totalBytes }: PartState): string => {
  if (totalBytes > 0) return ` ${formatBytes(loadedBytes)} of ${formatBytes(totalBytes)}`;
  return loadedBytes > 0 ? ` ${formatBytes(loadedBytes)} of an unknown size` : '';
};

const ProgressRow = ({ name, part }: { name: string; part: PartState }) => {
  return (
    <li className="progress-row">
      <span>{PART_NAMES[name] ?? name}</span>
      <span className={isOpenEnded(part) ? 'meter open-ended' : 'meter'} aria-hidden="true">
        <span style={{ width: `${shareOf(part) * 100}%` }} />
      </span>
      <span className="fine">
        {part.status === 'ready' ? '✓ ' : part.status === 'failed' ? '✗ ' : ''}
        {part.note}
        {part.status === 'loading' ? bytesOf(part) : ''}
        {part.status === 'loading' && part.leftMs !== undefined
          ? ` · ${formatDuration(part.leftMs / 1000)} left`
          : ''}
      </span>
    </li>
  );
};

/** Progress of the needed parts; nothing once all are loaded. */
export const LoadingList = () => {
  const parts = useSession((state) => state.parts);
  const needed = useSession((state) => state.needed);
  const entries = partsInUse({ parts, needed });
  if (entries.every(([, part]) => part.status === 'ready')) return null;
  return (
    <ul className="progress" aria-label="Loading">
      {entries.map(([name, part]) => (
        <ProgressRow key={name} name={name} part={part} />
      ))}
    </ul>
  );
};

/** A failure with a retry button and details to copy. */
export const FailureNote = (props: {
  title: string;
  failure: Failure;
  action: string;
  onAction: () => void;
}) => {
  const details = () => `${props.failure.message}\n${props.failure.detail}`;
  return (
    <div className="failure" role="alert">
      <b>⚠ {props.title}</b>
      <p>{props.failure.message}</p>
      <div className="failure-actions">
        <Button size="xs" onClick={props.onAction}>
          {props.action}
        </Button>
        <CopyButton label="Copy details" text={details} />
      </div>
      {props.failure.detail ? (
        <details>
          <summary>Details</summary>
          <pre>{props.failure.detail}</pre>
        </details>
      ) : null}
    </div>
  );
};

const titleOf = (name: string, { kind }: Failure): string =>
  kind === 'lost'
    ? `${name}: the worker was lost`
    : kind === 'missing'
      ? `${name}: a file is missing`
      : `${name} failed`;

/** Covers every page: nothing works without the lab worker, and all its calls are rejected. */
export const LabLost = () => {
  const failure = useSession((state) => state.labFailure);
  if (!failure) return null;
  return (
    <div className="over-page">
      <FailureNote
        title={titleOf('Lab', failure)}
        failure={failure}
        action="Restart it"
        onAction={() => void retryLoading()}
      />
    </div>
  );
};

/** The first part that failed to load, with what to do; nothing without a failure. */
export const LoadingFailure = () => {
  const failed = useSession(
    useShallow((state) => {
      // `LabLost` says it.
      const found = state.labFailure ? null : firstFailure(state);
      return { part: found?.part, failure: found?.failure };
    }),
  );
  if (!failed.failure || !failed.part) return null;
  return (
    <FailureNote
      title={titleOf(PART_NAMES[failed.part] ?? failed.part, failed.failure)}
      failure={failed.failure}
      action={failed.failure.kind === 'lost' ? 'Restart it' : 'Load again'}
      onAction={() => void retryLoading()}
    />
  );
};
