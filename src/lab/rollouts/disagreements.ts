import {
  DisagreementQueue,
  type Disagreement,
} from '../../evaluate/rollouts/rescore/disagreement.ts';
import type { StoredRow } from '../contract/records/rollout-files.ts';
import type { RolloutsStore } from './store.ts';

/** Rollouts between two signs of how far a re-scoring is. */
const TOLD_EVERY = 128;

interface Search {
  rows: readonly StoredRow[];
  /** Ids. */
  scorers: readonly string[];
  /** Told of the share of the rollouts that were scored, 0 to 1. */
  onProgress: (share: number) => void;
  signal: AbortSignal;
}

/** Rollouts of a file that scorers see differently, the widest apart first. @throws the signal's reason */
export async function findDisagreements(
  store: RolloutsStore,
  fileId: string,
  { rows, scorers, onProgress, signal }: Search,
): Promise<Disagreement[]> {
  const queue = new DisagreementQueue(scorers);
  for (const [at, row] of rows.entries()) {
    signal.throwIfAborted();
    queue.add(await store.rollout(fileId, row));
    if (at % TOLD_EVERY === TOLD_EVERY - 1) onProgress((at + 1) / rows.length);
  }
  return queue.result();
}
