import { useEffect, useState } from 'react';
import type { OlderRun } from '../../lab/contract/training.ts';
import { plural } from '../kit/words/format.ts';
import { readOlderRuns, removeOlderRuns } from '../train/store/train-actions.ts';
import { useTrain } from '../train/store/train-store.ts';

/** Runs named one by one; the others are counted. */
const NAMED = 5;

/** Runs from another version of Forage: their names, and how to delete them. */
export const OlderRunsNote = ({
  runs,
  remove,
}: {
  runs: readonly OlderRun[];
  remove: () => void;
}) => {
  if (runs.length === 0) return null;
  const names = runs.slice(0, NAMED).map(({ name }) => `“${name}”`);
  const more = runs.length - names.length;
  return (
    <p className="note" role="status" data-testid="older-runs">
      {plural(runs.length, 'run', 'runs')} from another version of Forage cannot be opened here:{' '}
      {names.join(', ')}
      {more > 0 ? ` and ${more} more` : ''}. Train again to compare; deleting cannot be undone.{' '}
      <button type="button" className="link" onClick={remove}>
        Delete {runs.length === 1 ? 'it' : 'them'}
      </button>
    </p>
  );
};

export const OlderRuns = () => {
  const status = useTrain((state) => state.status);
  const [runs, setRuns] = useState<readonly OlderRun[]>([]);
  useEffect(() => {
    if (status === 'ready') void readOlderRuns().then(setRuns);
  }, [status]);
  return <OlderRunsNote runs={runs} remove={() => void removeOlderRuns().then(setRuns)} />;
};
