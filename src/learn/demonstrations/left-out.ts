/** Why no demonstration was made, or one was left out: one sentence each. */
export const REASONS = {
  'no-evidence':
    'the question names no evidence: neither a chain with titles nor supporting titles',
  'too-many-searches': 'more searches would be needed than the recipe allows',
  'not-knowable': 'a passage has a name that neither the question nor an earlier passage mentions',
  'not-retrieved': 'a search did not bring the evidence',
  'not-shown': 'the answer of a step is not in the passages as they were shown',
  'answer-not-shown': 'the final answer is not in the passages as they were shown',
  'too-long': 'it has more tokens than the limit',
  wrong: 'its answer is wrong',
  format: "it breaks the recipe's format",
  failed: 'a search failed',
} as const;

export type Reason = keyof typeof REASONS;

/** Ends a demonstration that cannot be made. */
export class GaveUp extends Error {
  constructor(readonly reason: Reason) {
    super(REASONS[reason]);
  }
}
