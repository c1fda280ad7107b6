import { blocksIn } from './output.ts';
import { faultsAmong, type Release } from './release.ts';

/** R-Search's format (QingFei1/R-Search, reward_score/qa_f1.py): one whole answer, and one whole evidence after a result. */

/** Whether there is exactly one closed answer, and text in it. */
export function oneAnswer(text: string): boolean {
  const [answer, ...others] = blocksIn(text, 'answer');
  return answer !== undefined && answer !== '' && others.length === 0;
}

/** Contents of the closed blocks of evidence, and whether a result was shown. */
export const evidenceIn = (text: string): { evidence: string[]; observed: boolean } => ({
  evidence: blocksIn(text, 'original_evidence'),
  observed: blocksIn(text, 'observation').length > 0,
});

/** Whether there is exactly one block of evidence with text in it where a result was shown, and none where not. */
export function fittingEvidence(text: string): boolean {
  const { evidence, observed } = evidenceIn(text);
  if (!observed) return evidence.length === 0;
  return evidence.length === 1 && evidence[0] !== '';
}

export const rSearch: Release = {
  dialects: ['r-search'],
  answer: ({ text }) => blocksIn(text, 'answer').at(-1) ?? null,
  faults: ({ text }) =>
    faultsAmong({
      'there is not exactly one answer with text in it': !oneAnswer(text),
      'the evidence does not fit the results': !fittingEvidence(text),
    }),
};
