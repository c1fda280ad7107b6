import { blocksIn, defineRelease, faultsAmong, type Output } from '../../agent/released.ts';
import { roundHalfEven } from '../../base/statistics.ts';
import { asReleased } from '../../learn/rewards/parts/as-released.ts';
import { clause } from '../../learn/rewards/parts/clause.ts';
import { fixedReward } from '../../learn/rewards/parts/definition.ts';
import type { RewardFacts } from '../../learn/rewards/parts/facts.ts';
import { blockRead } from '../../learn/rewards/parts/made.ts';

/*
 * R-Search (arXiv 2506.04185; code: QingFei1/R-Search, src/verl/utils/reward_score/qa_f1.py): 0.2 for one whole
 * answer, 0.2 for one evidence block after a result (or neither), F1 of the answer, and F1 of what a frozen model
 * answers from the last evidence block only. Both F1 have no rule for yes and no and are rounded to two places, half to
 * even, as in the code. An output in its own format is read by its rules (`release`). Difference:
 * the frozen model is the checkpoint without its adapter.
 */

/** R-Search's format (QingFei1/R-Search, reward_score/qa_f1.py): one whole answer, and one whole evidence after a result. */

/** Whether there is exactly one closed answer, and text in it. */
function oneAnswer(text: string): boolean {
  const [answer, ...others] = blocksIn(text, 'answer');
  return answer !== undefined && answer !== '' && others.length === 0;
}

/** Contents of the closed blocks of evidence, and whether a result was shown. */
const evidenceIn = (text: string): { evidence: string[]; observed: boolean } => ({
  evidence: blocksIn(text, 'original_evidence'),
  observed: blocksIn(text, 'observation').length > 0,
});

/** Whether there is exactly one block of evidence with text in it where a result was shown, and none where not. */
function fittingEvidence(text: string): boolean {
  const { evidence, observed } = evidenceIn(text);
  if (!observed) return evidence.length === 0;
  return evidence.length === 1 && evidence[0] !== '';
}

export const release = defineRelease({
  dialects: ['r-search'],
  answer: ({ text }) => blocksIn(text, 'answer').at(-1) ?? null,
  faults: ({ text }) =>
    faultsAmong({
      'there is not exactly one answer with text in it': !oneAnswer(text),
      'the evidence does not fit the results': !fittingEvidence(text),
    }),
});

const FORMAT = 0.2;
const rounded = (f1: number): number => roundHalfEven(f1, 2);

/** `read`: there is evidence to answer from, and a result that it can be of. */
interface Format {
  answered: boolean;
  fits: boolean;
  read: boolean;
}

function formatIn({ text }: Output): Format {
  const { evidence, observed } = evidenceIn(text);
  const read = observed && (evidence.at(-1) ?? '') !== '';
  return { answered: oneAnswer(text), fits: fittingEvidence(text), read };
}

function formatOf({ form, blocks, searches }: RewardFacts): Format {
  const quotes = blocks.filter(({ kind }) => kind === 'evidence');
  const read = searches.some(({ passages }) => passages.length > 0);
  const whole = quotes.length === 1 && quotes[0]?.text.trim() !== '';
  return { answered: form !== null, fits: read ? whole : quotes.length === 0, read };
}

export const rSearch = fixedReward({
  id: 'r-search',
  name: 'R-Search',
  source: 'R-Search, arXiv 2506.04185, values of its code',
  range: [0, 2.4],
  needs: { evidence: 'frozen' },
  frozen: { from: 'evidence', passages: (rollout) => blockRead(rollout, 'evidence') },
  clauses: asReleased(release, (facts, output) => {
    const { plainF1, form, answer, blocks, frozen } = facts;
    const quotes = blocks.filter(({ kind }) => kind === 'evidence');
    const { answered: whole, fits, read } = output ? formatIn(output) : formatOf(facts);
    const answered = frozen.find(({ from }) => from === 'evidence');
    const spans = quotes.flatMap(({ evidence }) => evidence);
    return [
      clause('answer-format', whole ? FORMAT : 0, answer),
      clause('evidence-format', fits ? FORMAT : 0, spans),
      clause('answer', form === null ? 0 : rounded(plainF1), answer),
      clause('evidence', read ? rounded(answered?.f1 ?? 0) : 0, spans),
    ];
  }),
});
