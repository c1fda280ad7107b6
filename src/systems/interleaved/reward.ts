import { subExactMatch } from '../../agent/answers/scores.ts';
import { clause } from '../../learn/rewards/parts/clause.ts';
import { fixedReward } from '../../learn/rewards/parts/definition.ts';
import type { RewardFacts } from '../../learn/rewards/parts/facts.ts';

/*
 * Interleaved Reasoning (arXiv 2505.19640; no code): ±1 for the format; 2 for a right answer, −1.5 for a wrong one,
 * −2 for none, only where the format holds; and up to 0.5 for right sub-answers on the way, only where the answer is
 * right, the format holds and more rollouts of the step are right than of the step before. Differences: λ_f = λ_a = 1
 * (the paper gives none); a sub-answer is a summary block, right where it holds the object of its step of the gold
 * chain; the chain's last object is the answer's.
 */

const FORMAT = 1;
const RIGHT = 2;
const WRONG = -1.5;
const UNPARSABLE = -2;
const BASE = 0.5;

type Shape = 'all-or-none' | 'partial' | 'discounted';

/**
 * What the sub-answers earn, 0 to 0.5. N is the number of intermediate answers and the final one.
 * @param first the step, from 1, at which each intermediate answer was first given; null: never
 */
export function intermediate(shape: Shape, first: readonly (number | null)[]): number {
  const found = first.flatMap((step) => (step === null ? [] : [step]));
  if (first.length === 0) return 0;
  if (found.length === first.length) return BASE;
  switch (shape) {
    case 'all-or-none':
      return 0;
    case 'partial':
      return (BASE / first.length) * found.length;
    case 'discounted':
      return (BASE / first.length) * found.reduce((sum, step) => sum + 1 / step, 0);
  }
}

/** The step at which each intermediate object of the gold chain first is in a sub-answer. */
export function firstGiven({
  steps,
  blocks,
}: Pick<RewardFacts, 'steps' | 'blocks'>): (number | null)[] {
  const given = blocks.filter(({ kind }) => kind === 'summary');
  return steps.slice(0, -1).map(({ object }) => {
    const at = given.findIndex(({ text }) => subExactMatch(text, [object]) === 1);
    return at < 0 ? null : at + 1;
  });
}

const answerValue = ({ formatValid, form, em }: RewardFacts): number => {
  if (!formatValid) return 0;
  if (form === null) return UNPARSABLE;
  return em === 1 ? RIGHT : WRONG;
};

const accuracy = (batch: readonly RewardFacts[]): number =>
  batch.filter(({ em }) => em === 1).length / Math.max(1, batch.length);

const interleavedBy = <const Id extends string>(id: Id, name: string, shape: Shape, gated = true) =>
  fixedReward({
    id,
    name,
    source: 'Interleaved Reasoning, arXiv 2505.19640',
    range: [-1, 3.5],
    clauses: (facts) => [
      clause('format', facts.formatValid ? FORMAT : -FORMAT, facts.faults.flat()),
      clause('answer', answerValue(facts), facts.answer),
    ],
    ofBatch: (batch, before) => {
      const better = !gated || (before !== null && accuracy(batch) > before);
      return batch.map((facts) => {
        const earns = !gated || (better && facts.em === 1 && facts.formatValid);
        const value = earns ? intermediate(shape, firstGiven(facts)) : 0;
        const spans = facts.blocks.flatMap(({ evidence }) => evidence);
        return clause('sub-answers', value, value > 0 ? spans : []);
      });
    },
  });

export const interleaved = interleavedBy('interleaved', 'Interleaved, discounted', 'discounted');
export const interleavedPartial = interleavedBy(
  'interleaved-partial',
  'Interleaved, partial',
  'partial',
);
export const interleavedAll = interleavedBy(
  'interleaved-all',
  'Interleaved, all or none',
  'all-or-none',
);
/** The ablation: sub-answers are paid whatever the answer is. */
export const interleavedUngated = interleavedBy(
  'interleaved-ungated',
  'Interleaved, not gated',
  'discounted',
  false,
);
