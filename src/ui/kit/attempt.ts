import { messageOf } from '../../base/errors.ts';

/** What could not be done, as a page shows it. */
export interface Problem {
  /** A sentence: what was tried, and why it failed. */
  text: string;
  /** What "Copy details" copies: the stack where there is one. */
  detail: string;
}

/** @param what that was tried, as the first half of the sentence: "The run did not start" */
export const problemOf = (what: string, error: unknown): Problem => {
  const message = messageOf(error);
  return {
    text: `${what}: ${message}`,
    detail: error instanceof Error ? (error.stack ?? message) : message,
  };
};

/** Does `act`. @returns its value; null where it failed, after the page was told what did */
export type Attempt = <T>(what: string, act: () => Promise<T>) => Promise<T | null>;

/**
 * The one way in which actions fail: they never reject, so that a button can call them and forget them.
 * @param show puts the problem where the place's page looks for it
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
