import { heldLocks, holdLock } from '../storage/locks.ts';
/**
 * One tab at a time writes a run: it holds the run's lock as long as it trains. The browser lets go
 * of it when the tab dies, however it dies.
 */

const nameOf = (runId: string): string => `forage-run-${runId}`;

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
