import { Link } from 'wouter';
import { formatDuration } from '../../kit/words/duration.ts';
import { formatCount } from '../../kit/words/format.ts';
import { filePath } from '../store/browse-address.ts';
import { judgingLeft, type JudgeJob } from './judge-store.ts';

/**
 * Counts of the last job on this file, or a note that another file is being judged. "Not judged":
 * failed calls and unreadable verdicts.
 */
export const JudgeProgress = ({ job, fileId }: { job: JudgeJob; fileId: string }) => {
  if (job.fileId !== fileId)
    return job.status === 'ended' ? null : (
      <p className="fine" role="status">
        The answers of <Link href={filePath(job.fileId, '?view=judge')}>another file</Link> are
        being judged; only one file at a time.
      </p>
    );
  const left = judgingLeft(job);
  return (
    <div role="status" data-testid="judge-progress">
      <progress className="bar" max={Math.max(1, job.total)} value={job.done} aria-label="Judged" />
      <p className="fine">
        {formatCount(job.done)} of {formatCount(job.total)} asked · by the judge right{' '}
        {formatCount(job.right)}, wrong {formatCount(job.wrong)} · not judged{' '}
        {formatCount(job.notJudged)}
        {job.status === 'running' && left !== null ? ` · ≈ ${formatDuration(left)} to go` : ''}
      </p>
      {job.words === null ? null : <p className="note">{job.words}</p>}
    </div>
  );
};
