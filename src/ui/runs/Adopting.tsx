import { Link } from 'wouter';
import { formatCount, plural } from '../kit/words/format.ts';
import { TimeLeft } from '../kit/words/TimeLeft.tsx';
import { cancelAdopting, dismissAdopted, useAdopting } from '../train/store/adopt-actions.ts';
import { formatTrainAddress } from '../train/store/train-address.ts';

/** Progress of the folder that is imported. */
const Reading = () => {
  const { reading, waiting } = useAdopting();
  if (!reading) return null;
  const { name, done, total, cancelling } = reading;
  return (
    <p className="note">
      Reading “{name}”
      {total > 0 ? `: step ${formatCount(done)} of ${formatCount(total)} stored` : ' …'}
      {total > 0 ? <TimeLeft of={name} share={done / total} /> : null}
      {waiting.length > 0 ? ` · ${plural(waiting.length, 'more waits', 'more wait')}` : null}{' '}
      <progress
        className="bar thin"
        aria-label="Steps stored"
        {...(total > 0 && { max: total, value: done })}
      />{' '}
      <button
        type="button"
        className="link"
        disabled={cancelling}
        onClick={() => void cancelAdopting()}
      >
        {cancelling ? 'Stopping …' : 'Cancel'}
      </button>
    </p>
  );
};

const Hide = () => (
  <button type="button" className="link" aria-label="Hide this message" onClick={dismissAdopted}>
    ✕
  </button>
);

/** Imports of cluster folders: the current one, the last result with what it lacks, and cancelled ones. */
export const Adopting = () => {
  const { taken, cancelled } = useAdopting();
  return (
    <div role="status">
      <Reading />
      {taken.length > 0 || cancelled !== null ? (
        <div className="note adopted">
          {taken.map((run, at) => (
            <div key={run.id}>
              <p>
                <Link href={formatTrainAddress({ run: run.id, step: null })}>{run.name}</Link> is
                here now. {at === 0 ? <Hide /> : null}
              </p>
              {run.notice === null ? null : <p className="fine">{run.notice}</p>}
            </div>
          ))}
          {cancelled === null ? null : (
            <p>
              {cancelled} {taken.length === 0 ? <Hide /> : null}
            </p>
          )}
        </div>
      ) : null}
    </div>
  );
};
