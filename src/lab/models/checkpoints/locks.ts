/**
 * Names of the Web Locks of a checkpoint, followed by its id. One tab at a time writes it; those that
 * read it share a lock, so that it is not removed for good under them. The browser lets go of both
 * when a tab dies, however it dies.
 */
export const WRITING = 'forage-checkpoint-';
export const READING = 'forage-reading-checkpoint-';

/** Holds the shared lock of readers. @returns how to let go */
export function holdReading(id: string, locks: LockManager): Promise<() => void> {
  return new Promise((resolve, reject) => {
    locks
      .request(
        READING + id,
        { mode: 'shared' },
        () => new Promise<void>((release) => resolve(release)),
      )
      .catch(reject);
  });
}
