import { clause } from '../../parts/clause.ts';
import { fixedReward } from '../../parts/definition.ts';
import type { RewardFacts } from '../../parts/facts.ts';
import type { RewardClause } from '../../../../records/rollout.ts';
import { banksOf, operations, OPERATIONS } from '../../parts/memory-bank.ts';
import { subExactMatch } from '../../../../agent/answers/scores.ts';

/*
 * Memory-R1 (arXiv 2508.19828; no code): exact match of what a frozen answerer says from the memory bank that the
 * policy keeps. Differences: the shipped policy writes the bank again after every result, and what it added, updated,
 * deleted or kept is recognised by comparing two of them; a policy that names operations, as theirs does, has them applied;
 * facts come from searches in place of a dialogue; the answerer is the checkpoint without its adapter and reads the
 * whole bank; with `memory-r1-retrieved` the bank holds 16 facts and four are read, by likeness to the question
 * (`src/learn/frozen/answers.ts`), where theirs reads 60. The operations are counted in clauses of weight 0.
 */
const clausesBy =
  (cap?: number) =>
  ({ frozen, blocks }: RewardFacts): RewardClause[] => {
    const banks = banksOf(blocks, cap);
    const last = blocks.findLast(({ kind }) => kind === 'memory');
    const answered = frozen.find(({ from }) => from === 'memory');
    const steps = banks.map((bank, i) => operations(banks[i - 1] ?? '', bank));
    return [
      clause('answer', answered?.em ?? 0, last?.evidence ?? []),
      ...OPERATIONS.map((name) => ({
        ...clause(
          name,
          steps.reduce((sum, counts) => sum + counts[name], 0),
        ),
        weight: 0,
      })),
    ];
  };

export const memoryR1 = fixedReward({
  id: 'memory-r1',
  name: 'Memory-R1',
  source: 'Memory-R1, arXiv 2508.19828',
  range: [0, 1],
  frozen: 'memory',
  clauses: clausesBy(),
});

const LIMITS = { cap: 16, read: 4 } as const;

export const memoryR1Retrieved = fixedReward({
  id: 'memory-r1-retrieved',
  name: 'Memory-R1, four of sixteen facts',
  source: 'Memory-R1, arXiv 2508.19828, section 3.3',
  range: [0, 1],
  frozen: 'memory',
  bank: LIMITS,
  clauses: clausesBy(LIMITS.cap),
});

/*
 * The trainable rewriter of rewrite-retrieve-read (arXiv 2305.14283; code: xbmxb/RAG-query-rewriting): EM + F1 + 1 where a
 * gold answer is in what was retrieved, and −1 where it does not. Difference: the reader is the policy itself.
 */
export const rewriter = fixedReward({
  id: 'rewriter',
  name: 'Rewrite-retrieve-read, rewriter',
  source: 'Rewrite-retrieve-read, arXiv 2305.14283',
  range: [-1, 3],
  clauses: ({ em, f1, answer, golds, searches }) => {
    const holding = searches.filter(({ passages }) =>
      passages.some(({ text }) => subExactMatch(text, golds) === 1),
    );
    const all = holding.length > 0 ? holding : searches;
    return [
      clause('em', em, answer),
      clause('f1', f1, answer),
      clause(
        'hit',
        holding.length > 0 ? 1 : -1,
        all.flatMap(({ evidence }) => evidence),
      ),
    ];
  },
});

/*
 * s3 (arXiv 2505.14146; code: pat-jj/s3, verl/utils/reward_score/rag_2.py): what a frozen generator gains by the
 * passages that the searcher selected, over those that one retrieval with the question brings. Paper: the gain,
 * Acc(G(q, D_s3)) − Acc(G(q, D_RAG)). Released: accuracy and gain, 2 Acc − Acc_RAG. Differences: the generator is
 * the checkpoint without its adapter; Acc is that a gold answer is in its answer, where theirs asks a language
 * model when none does.
 */

const accuracies = ({ frozen }: RewardFacts): [selected: number, naive: number] => [
  frozen.find(({ from }) => from === 'selected')?.holds ?? 0,
  frozen.find(({ from }) => from === 'question')?.holds ?? 0,
];

const choices = ({ selections }: RewardFacts) => selections.flatMap(({ evidence }) => evidence);

export const s3Gain = fixedReward({
  id: 's3',
  name: 's3, gain beyond naive RAG',
  source: 's3, arXiv 2505.14146',
  range: [-1, 1],
  frozen: 'selected',
  clauses: (facts) => {
    const [selected, naive] = accuracies(facts);
    return [clause('gain', selected - naive, choices(facts))];
  },
});

export const s3Released = fixedReward({
  id: 's3-released',
  name: 's3, accuracy and gain',
  source: 's3, arXiv 2505.14146, both switches of its code on',
  range: [-1, 2],
  frozen: 'selected',
  clauses: (facts) => {
    const [selected, naive] = accuracies(facts);
    return [
      clause('accuracy', selected, choices(facts)),
      clause('gain', selected - naive, choices(facts)),
    ];
  },
});
