/**
 * One tab at a time writes a run: it holds the run's lock as long as it trains. The browser lets go
 * of it when the tab dies, however it dies.
 */

const nameOf = (runId: string): string => `forage-run-${runId}`;

/** @returns how to let go; null where another tab holds it */
export function holdLock(name: string, locks: LockManager): Promise<(() => void) | null> {
  return new Promise((resolve, reject) => {
    locks
      .request(name, { ifAvailable: true }, (lock) => {
        if (!lock) {
          resolve(null);
          return undefined;
        }
        return new Promise<void>((release) => resolve(release));
      })
      .catch(reject);
  });
}

export const holdRun = (runId: string, locks: LockManager): Promise<(() => void) | null> =>
  holdLock(nameOf(runId), locks);

/** Waits until no tab holds the run, and keeps it from them while `act` is under way. */
export const whenRunFree = (
  runId: string,
  locks: LockManager,
  act: () => Promise<void>,
): Promise<void> => locks.request(nameOf(runId), act);

/** Runs that some tab of this browser is writing. */
export const heldRuns = (locks: LockManager): Promise<Set<string>> => heldLocks(nameOf(''), locks);

/** What follows the prefix in the names of locks that some tab holds. */
export async function heldLocks(prefix: string, locks: LockManager): Promise<Set<string>> {
  const { held = [] } = await locks.query();
  return new Set(
    held.flatMap(({ name }) => (name?.startsWith(prefix) ? [name.slice(prefix.length)] : [])),
  );
}
