import { Link } from 'wouter';
import { formatCount } from '../kit/words/format.ts';
import { TimeLeft } from '../kit/words/TimeLeft.tsx';
import { dismissAdopted, useAdopting } from '../train/store/adopt-actions.ts';
import { formatTrainAddress } from '../train/store/train-address.ts';

/** What is being read of a cluster’s folder, and what was taken in last with what it lacks. */
export const Adopting = () => {
  const { reading, last } = useAdopting();
  return (
    <div role="status">
      {reading ? (
        <p className="note">
          Reading “{reading.name}”
          {reading.total > 0
            ? `: step ${formatCount(reading.done)} of ${formatCount(reading.total)} stored`
            : ' …'}
          {reading.total > 0 ? (
            <TimeLeft of={reading.name} share={reading.done / reading.total} />
          ) : null}{' '}
          <progress
            className="bar thin"
            aria-label="Steps stored"
            {...(reading.total > 0 && { max: reading.total, value: reading.done })}
          />
        </p>
      ) : null}
      {last ? (
        <div className="note adopted">
          <p>
            <Link href={formatTrainAddress({ run: last.id, step: null })}>{last.name}</Link> is here
            now.{' '}
            <button
              type="button"
              className="link"
              aria-label="Hide this message"
              onClick={dismissAdopted}
            >
              ✕
            </button>
          </p>
          {last.notice === null ? null : <p className="fine">{last.notice}</p>}
        </div>
      ) : null}
    </div>
  );
};
