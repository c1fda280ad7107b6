import { Button } from '@mantine/core';
import { useEffect, useState } from 'react';
import { formatDuration } from '../../kit/words/duration.ts';
import { formatBytes, formatCount, plural } from '../../kit/words/format.ts';
import { cancelJob } from '../store/collections-actions.ts';
import { secondsLeft, useCollections, type CollectionsJob } from '../store/collections-store.ts';

const VERBS = { import: 'Importing', merge: 'Merging', fetch: 'Fetching' } as const;

/** The clock, twice a second: the time left changes even without progress. */
const useNow = (): number => {
  const [now, setNow] = useState(() => performance.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), 500);
    return () => clearInterval(timer);
  }, []);
  return now;
};

/** Progress: items of a merge, bytes of a file; only bytes if the server does not state the size. */
const amount = ({ kind, done, total }: CollectionsJob): string => {
  if (kind === 'merge') return `${formatCount(done)} of ${plural(total, 'item')}`;
  return total > 0 ? `${formatBytes(done)} of ${formatBytes(total)}` : formatBytes(done);
};

/** Counts of an import; empty for other jobs. */
const Counts = ({ job: { progress } }: { job: CollectionsJob }) => {
  if (!progress) return null;
  const { passages, questions, duplicates, rejected, file, files } = progress;
  return (
    <span className="fine">
      {files > 1 ? `file ${formatCount(file)} of ${formatCount(files)} · ` : ''}
      so far {plural(passages, 'passage')} · {plural(questions, 'question')}
      {duplicates > 0 ? ` · ${plural(duplicates, 'duplicate')}` : ''}
      {rejected > 0 ? ` · ${formatCount(rejected)} rejected` : ''}
    </span>
  );
};

/** The current job, its progress, its time left, and a cancel button. */
export const ImportJob = () => {
  const job = useCollections((state) => state.job);
  return job ? <Running job={job} /> : null;
};

/** A separate component, so that the clock only runs during a job. */
const Running = ({ job }: { job: CollectionsJob }) => {
  const now = useNow();
  const left = secondsLeft(job, now);
  return (
    <section className="job" aria-label={VERBS[job.kind]} data-testid="job">
      <div className="job-line">
        <b className="ellipsis">
          {VERBS[job.kind]} {job.progress?.name ?? job.name}
        </b>
        <span className="figure">{amount(job)}</span>
        <span className="fine" data-testid="eta">
          {left === null ? '' : `≈ ${formatDuration(left)} left`}
        </span>
        <span className="grow" />
        <Button size="compact-xs" variant="default" disabled={job.cancelling} onClick={cancelJob}>
          {job.cancelling ? 'Stopping …' : 'Cancel'}
        </Button>
      </div>
      <progress
        className="bar"
        aria-label={VERBS[job.kind]}
        max={1}
        // An indeterminate bar: the size is unknown.
        {...(job.total > 0 && { value: job.done / job.total })}
      />
      <Counts job={job} />
    </section>
  );
};
