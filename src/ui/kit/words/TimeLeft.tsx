import { useEffect, useRef, useState } from 'react';
import { formatDuration } from './duration.ts';

/** The first observation of a progress. */
interface Begun {
  of: string;
  /** Milliseconds of the page's clock. */
  at: number;
  share: number;
}

/** Earlier, in milliseconds, the rate says little. */
const SETTLED_MS = 1500;

/** Seconds to the end at the rate since the first observation; null while unknown. */
export const leftOf = ({ at, share: first }: Begun, now: number, share: number): number | null =>
  now - at < SETTLED_MS || share <= first
    ? null
    : ((now - at) / 1000) * ((1 - share) / (share - first));

/**
 * The time left of a job, once its rate is known.
 * @param props.of the job; another name, or a smaller share, restarts
 * @param props.share of it that is done, 0 to 1
 */
export const TimeLeft = ({ of, share }: { of: string; share: number }) => {
  const begun = useRef<Begun | null>(null);
  const [left, setLeft] = useState<{ of: string; seconds: number | null } | null>(null);
  useEffect(() => {
    const now = performance.now();
    const from = begun.current;
    if (from === null || from.of !== of || share < from.share)
      begun.current = { of, at: now, share };
    else setLeft({ of, seconds: leftOf(from, now, share) });
  }, [of, share]);
  return left === null || left.of !== of || left.seconds === null || share >= 1 ? null : (
    <> · ≈ {formatDuration(left.seconds)} left</>
  );
};
