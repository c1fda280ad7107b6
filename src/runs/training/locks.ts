/**
 * One tab at a time writes a run: it holds the run's lock as long as it trains. The browser lets go
 * of it when the tab dies, however it dies.
 */

const nameOf = (runId: string): string => `forage-run-${runId}`;

/** @returns how to let go; null where another tab holds it */
export function holdRun(runId: string, locks: LockManager): Promise<(() => void) | null> {
  return new Promise((resolve, reject) => {
    locks
      .request(nameOf(runId), { ifAvailable: true }, (lock) => {
        if (!lock) {
          resolve(null);
          return undefined;
        }
        return new Promise<void>((release) => resolve(release));
      })
      .catch(reject);
  });
}

/** Runs that some tab of this browser is writing. */
export async function heldRuns(locks: LockManager): Promise<Set<string>> {
  const { held = [] } = await locks.query();
  const prefix = nameOf('');
  return new Set(
    held.flatMap(({ name }) => (name?.startsWith(prefix) ? [name.slice(prefix.length)] : [])),
  );
}
