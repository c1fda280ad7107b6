import { useState } from 'react';
import type { Rollout } from '../../../records/rollout.ts';
import { formatSeconds } from '../../kit/words/format.ts';
import { Guarded } from '../../kit/page/Guarded.tsx';
import { onDemand } from '../../kit/page/on-demand.tsx';

const Waterfall = onDemand(async () => ({
  default: (await import('../../kit/waterfall/Waterfall.tsx')).Waterfall,
}));

/** How the time of a rollout was spent; loaded when opened. */
export const TimeLine = ({
  rollout,
  open,
}: {
  rollout: Rollout;
  /** Goes to an event. */
  open: (event: number) => void;
}) => {
  const [shown, setShown] = useState(false);
  const seconds = rollout.metrics?.seconds ?? null;
  return (
    <details className="column-time" onToggle={(event) => setShown(event.currentTarget.open)}>
      <summary>
        Time by activity{seconds === null ? '' : `, ${formatSeconds(seconds)} in all`}
      </summary>
      {shown ? (
        <Guarded name="The chart of times">
          <Waterfall id={`waterfall-${rollout.id}`} record={rollout} open={open} />
        </Guarded>
      ) : null}
    </details>
  );
};
