import type { Output, Release } from '../../../agent/released.ts';
import type { RewardClause } from '../../../records/rollout.ts';
import { answerFacts, type RewardFacts } from './facts.ts';

/**
 * Facts as the released function of a system has them, of an output in that system's own format: its answer, and what it
 * calls well formed. Of any other output, and of what a policy with tag tokens wrote, the facts stay as they are.
 */
function readBy(
  release: Release,
  facts: RewardFacts,
): { facts: RewardFacts; output: Output | null } {
  const { output, question, golds } = facts;
  if (!output || !release.dialects.some((one) => output.dialects.includes(one)))
    return { facts, output: null };
  const answerText = release.answer(output);
  const same = answerText === facts.answerText || (facts.verified && answerText !== null);
  return {
    output,
    facts: {
      ...facts,
      ...(same ? {} : answerFacts(answerText, question)),
      answerText,
      form: answerText === null ? null : (facts.form ?? 'short'),
      answer: answerText === null ? [] : facts.answer,
      formatValid: release.faults(output, golds).length === 0,
    },
  };
}

/**
 * Clauses of a published reward that read an output in its own format by `release`.
 * @param clauses gets the output where it was read so, else null
 */
export const asReleased =
  (
    release: Release,
    clauses: (facts: RewardFacts, output: Output | null) => RewardClause[],
  ): ((facts: RewardFacts) => RewardClause[]) =>
  (given) => {
    const { facts, output } = readBy(release, given);
    return clauses(facts, output);
  };
