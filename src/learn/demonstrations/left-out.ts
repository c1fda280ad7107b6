/** Why no demonstration was made, or one was left out: one sentence each. */
export const REASONS = {
  'no-evidence':
    'the question names no evidence, and its answer is yes, no or named in the question, so no passage can prove it',
  'too-many-searches': 'more searches would be needed than the recipe allows',
  'not-knowable': 'a passage has a name that neither the question nor an earlier passage mentions',
  'not-retrieved': 'a search did not bring the evidence',
  'not-shown': 'the answer of a step is not in the passages as they were shown',
  'answer-not-shown': 'the final answer is not in the passages as they were shown',
  'no-gold': 'the file has no accepted answer for it',
  'no-answer': 'it gives no answer, or none that can be read',
  'no-search': 'it makes no search',
  'made-up-result': 'a result follows no query: the model wrote it itself',
  'no-thought': 'a step has no thought',
  'several-queries': 'it asks several queries at once',
  'other-action': 'it uses an action that the recipe does not have',
  unreadable: 'the line cannot be read',
  'too-long': 'it has more tokens than the limit',
  wrong: 'its answer is wrong',
  format: "it breaks the recipe's format",
  failed: 'a search failed, or the model that writes did',
} as const;

export type Reason = keyof typeof REASONS;

/** Ends a demonstration that cannot be made. */
export class GaveUp extends Error {
  constructor(readonly reason: Reason) {
    super(REASONS[reason]);
  }
}
