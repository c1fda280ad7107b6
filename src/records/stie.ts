/**
 * How often each clause of STIE fired (arXiv 2506.19466, section 2.2): in one rollout, or summed over
 * some. "Answers" are verdicts on y_t, one per round; "queries" verdicts on search queries.
 */
export interface StieCounts {
  answers: number;
  /** (9): differences below δ1, δ2, δ3, at lags 1, 2, 3; one verdict may fail at several. */
  answerLag1: number;
  answerLag2: number;
  answerLag3: number;
  /** Failed (9), but passages support the answer (`corrected`). */
  exempt: number;
  /** (10) and (11): the second most confident candidate took the place of y_t. */
  replaced: number;
  /** Failed (9), and (10) found no better one. */
  keptInvalid: number;
  /** Rounds in which no candidate was left to judge. */
  noneLeft: number;
  /** (12): answers that reached N and joined B. */
  joinedBlocked: number;
  /** (13): probed candidates that B took from the candidate space. */
  removedBlocked: number;
  /** (13) at the end: the policy gave a blocked answer, and another one is in its place. */
  finalReplaced: number;
  queries: number;
  /** (9) over queries. */
  queryLag1: number;
  queryLag2: number;
  queryLag3: number;
  /** Failed (9), but asks something else, or another source (`corrected`). */
  queriesExempt: number;
  queriesRefused: number;
  /** The stop rules. */
  stopOverlapAbove: number;
  stopOverlapBelow: number;
  stopConfidence: number;
  stopNewInformation: number;
  stopRepeatedQueries: number;
}
