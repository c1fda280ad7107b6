/** Web Locks by name: the browser lets go of them when a tab dies, however it dies. */

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

/** What follows the prefix in the names of locks that some tab holds. */
export async function heldLocks(prefix: string, locks: LockManager): Promise<Set<string>> {
  const { held = [] } = await locks.query();
  return new Set(
    held.flatMap(({ name }) => (name?.startsWith(prefix) ? [name.slice(prefix.length)] : [])),
  );
}
