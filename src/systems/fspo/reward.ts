import { words } from '../../agent/answers/normalisers.ts';
import { contentWords, namesIn } from '../../agent/answers/evidence.ts';
import { statementsOf, supporter } from '../../agent/answers/long-answer.ts';
import type { RewardClause } from '../../records/rollout.ts';
import { clause, FACT } from '../../learn/rewards/parts/clause.ts';
import { fixedReward } from '../../learn/rewards/parts/definition.ts';
import type { RewardFacts } from '../../learn/rewards/parts/facts.ts';

/*
 * FSPO (arXiv 2505.24630; code: nusnlp/FSPO): the answer, and the mean verdict over steps of reasoning: 1 where what
 * was read states them, −1 where it does not, 0 where there is nothing to verify. With the rule `fspo` the
 * verdict turns the advantage of the step's own tokens too (`define.ts`). Differences: a step is a thought
 * and not a sentence; the verifier is exact, by names and numbers, in place of a language model; the released reward
 * is F1 of the answer only (`fspo-released`).
 */

/** Verdict on one thought: −1 where a statement names what was nowhere read, 1 where one is supported, else 0. */
export function verdictOf(thought: string, shown: RewardFacts['shown']): -1 | 0 | 1 {
  const supported = supporter(shown);
  const read = ` ${shown.flatMap(({ title, text }) => words(`${title} . ${text}`)).join(' ')} `;
  const statements = thought
    .split(' . ')
    .flatMap(statementsOf)
    .filter((one) => !one.startsWith('next ') && !one.startsWith('plan :'));
  const naming = statements.filter((one) => namesIn(one).length > 0 || /\d/u.test(one));
  const unread = naming.some((one) =>
    namesIn(one).some((name) => !read.includes(` ${words(name).join(' ')} `)),
  );
  if (unread) return -1;
  return naming.some((one) => contentWords(one).length > 1 && supported(one)) ? 1 : 0;
}

const facts = (weight: number, { thoughts, shown }: RewardFacts): RewardClause[] =>
  thoughts.map(({ text, evidence }) => {
    const verdict = verdictOf(text, shown);
    const spans = verdict === 0 ? [] : evidence;
    return { ...clause(FACT, verdict, spans), weight: weight / thoughts.length };
  });

/** As released: F1 of the answer only; verdicts are beside it for the rule `fspo`. */
export const fspoReleased = fixedReward({
  id: 'fspo-released',
  name: 'FSPO, as released',
  source: 'FSPO, arXiv 2505.24630, its code',
  range: [0, 1],
  verdicts: true,
  clauses: (given) => [clause('answer', given.f1, given.answer), ...facts(0, given)],
});

export const fspo = fixedReward({
  id: 'fspo',
  name: 'FSPO, answer and facts',
  source: 'FSPO, arXiv 2505.24630',
  range: [-1, 2],
  verdicts: true,
  clauses: (given) => [clause('answer', given.em, given.answer), ...facts(1, given)],
});
