import { showStorageFault } from './storage-news.ts';
import { messageOf } from '../../base/errors.ts';

/** A failure, as a page shows it. */
export interface Problem {
  /** One sentence: what was tried, and why it failed. */
  text: string;
  /** The text of "Copy details": the stack if there is one. */
  detail: string;
}

/** @param what the action, as the first half of the sentence: "The run did not start" */
export const problemOf = (what: string, error: unknown): Problem => {
  const message = messageOf(error);
  return {
    text: showStorageFault(error) ? `${what}.` : `${what}: ${message}`,
    detail: error instanceof Error ? (error.stack ?? message) : message,
  };
};

/**
 * Runs `act`.
 * @returns its value; null on failure, which is shown on the page
 */
export type Attempt = <T>(what: string, act: () => Promise<T>) => Promise<T | null>;

/**
 * Error handling of actions: they never reject, so that buttons can ignore the result.
 * @param show puts the problem where the page displays it
 */
export const createAttempt =
  (show: (problem: Problem) => void): Attempt =>
  async (what, act) => {
    try {
      return await act();
    } catch (error) {
      show(problemOf(what, error));
      return null;
    }
  };
