import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { formatBytes, formatCount, plural } from '../kit/words/format.ts';
import { formatDuration } from '../kit/words/duration.ts';
import { PickButton } from '../kit/PickButton.tsx';
import { FREED_LATER, UndoBar } from '../kit/UndoBar.tsx';
import { useFileDrop } from '../kit/use-file-drop.ts';
import {
  cancelImport,
  importDrop,
  importRolloutRuns,
  restoreFile,
} from './store/browse-actions.ts';
import { useRollouts, type ImportJob } from './store/rollouts-store.ts';
import { droppedRuns, pickedRuns } from './run-files.ts';

/** Shared frame of the rollout pages: drop target, imports, undo, errors. */

/** Two buttons, because a browser’s file dialog selects either files or a folder. */
export const OpenButtons = ({ primary = false }: { primary?: boolean }) => {
  const [, go] = useLocation();
  const size = primary ? 'sm' : 'xs';
  const onFiles = (files: File[]) => importRolloutRuns(pickedRuns(files), go);
  return (
    <>
      <PickButton
        field="Rollout files"
        size={size}
        variant={primary ? 'filled' : 'default'}
        title="You can also drop files anywhere on this page"
        onFiles={onFiles}
      >
        Open files
      </PickButton>{' '}
      <PickButton
        field="Folder of rollouts"
        folder
        size={size}
        variant="default"
        title="All files of the folder, in the order of their steps, as one run. You can also drop a folder"
        onFiles={onFiles}
      >
        Open a folder
      </PickButton>
    </>
  );
};

/** One import with progress and time left. A failed one stays until dismissed. */
const JobLine = ({ job }: { job: ImportJob }) => {
  const { progress, status, left } = job;
  if (status === 'failed')
    return (
      <li>
        <div className="failure" role="alert">
          <b>⚠ {job.message}</b>{' '}
          <button type="button" className="link" onClick={() => cancelImport(job.job)}>
            Dismiss
          </button>
        </div>
      </li>
    );
  const facts =
    status === 'waiting'
      ? 'waiting for the previous file'
      : progress === null
        ? 'reading …'
        : [
            `${formatBytes(progress.readBytes)} of ${formatBytes(progress.bytes)}`,
            `${plural(progress.rollouts, 'rollout')} so far`,
            ...(progress.faultCount > 0 ? [`${formatCount(progress.faultCount)} unreadable`] : []),
            ...(left === null ? [] : [`about ${formatDuration(left)} left`]),
          ].join(' · ');
  return (
    <li className="import-line">
      <span className="ellipsis import-name">{job.name}</span>
      <progress
        className="bar"
        aria-label={`Reading ${job.name}`}
        max={1}
        value={progress && progress.bytes > 0 ? progress.readBytes / progress.bytes : 0}
      />
      <span className="fine">{facts}</span>
      <button type="button" className="link" onClick={() => cancelImport(job.job)}>
        Cancel
      </button>
    </li>
  );
};

/** Files are read one after another; waiting ones are listed too. */
const Imports = () => {
  const jobs = useRollouts((state) => state.jobs);
  return jobs.length === 0 ? null : (
    <ul className="imports" aria-label="Files being read">
      {jobs.map((job) => (
        <JobLine key={job.job} job={job} />
      ))}
    </ul>
  );
};

/** No confirmation for deletions, because they can be undone here. */
const Undo = () => (
  <UndoBar
    removed={useRollouts((state) => state.removed)}
    restore={(id) => void restoreFile(id)}
    note={`${FREED_LATER} Notes and tags are kept for the next import of that name.`}
    hide={() => useRollouts.setState({ removed: [] })}
  />
);

/** The last failure on any rollout page. */
const Problem = () => {
  const problem = useRollouts((state) => state.problem);
  return problem === null ? null : (
    <div className="failure" role="alert">
      <b>⚠ {problem}</b>{' '}
      <button
        type="button"
        className="link"
        onClick={() => useRollouts.setState({ problem: null })}
      >
        Dismiss
      </button>
    </div>
  );
};

/** Page frame that accepts dropped files. */
export const BrowseShell = ({
  className,
  children,
}: {
  className: string;
  children: ReactNode;
}) => {
  const [, go] = useLocation();
  const drop = useFileDrop((transfer) => importDrop(droppedRuns(transfer), go));
  return (
    <main
      className={`${className}${drop.over ? ' dropping' : ''}`}
      tabIndex={-1}
      {...drop.handlers}
    >
      <Problem />
      <Imports />
      <Undo />
      {children}
    </main>
  );
};
