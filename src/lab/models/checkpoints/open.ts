import type { CheckpointFiles } from '../../../policy/checkpoint/checkpoint-files.ts';
import { OpfsRangeFiles } from '../../storage/opfs-ranges.ts';
import { CheckpointDatabase } from './database.ts';
import { holdReading } from './locks.ts';
import { revisionOf } from './plan/revision.ts';
import { CheckpointStore } from './store.ts';

/** A checkpoint of this device, held as long as it is in use. */
export interface OpenCheckpoint {
  id: string;
  /** As the user calls it. */
  name: string;
  /** Names its weights: the same weights, the same revision. */
  revision: string;
  files: CheckpointFiles;
  /** Lets it be removed for good again; a worker that ends does so by itself. */
  readonly release: () => void;
}

/** The store of this browser, for workers. */
export const browserStore = (): CheckpointStore =>
  new CheckpointStore(new CheckpointDatabase(), new OpfsRangeFiles());

/**
 * Opens a checkpoint for reading in a worker.
 * @throws CheckpointFault of kind `missing` where it is not there or not whole
 */
export async function openCheckpoint(
  id: string,
  store: CheckpointStore = browserStore(),
  locks: LockManager = navigator.locks,
): Promise<OpenCheckpoint> {
  const release = await holdReading(id, locks);
  try {
    const files = await store.open(id);
    const [{ name }, rows] = await Promise.all([store.record(id), store.rows(id)]);
    return { id, name, revision: revisionOf(rows), files, release };
  } catch (error) {
    release();
    throw error;
  }
}
