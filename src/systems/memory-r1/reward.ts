import { clause } from '../../learn/rewards/parts/clause.ts';
import { fixedReward } from '../../learn/rewards/parts/definition.ts';
import type { RewardFacts } from '../../learn/rewards/parts/facts.ts';
import { banksOf, operations, OPERATIONS, statementsOf } from './bank.ts';
import type { Passage } from '../../records/records.ts';
import type { RewardClause, Rollout } from '../../records/rollout.ts';
import { likest } from '../../agent/answers/evidence.ts';
import { blockRead } from '../../learn/rewards/parts/made.ts';

/*
 * Memory-R1 (arXiv 2508.19828; no code): exact match of what a frozen answerer says from the memory bank that the
 * policy keeps. Differences: the shipped policy writes the bank again after every result, and what it added, updated,
 * deleted or kept is recognised by comparing two of them; a policy that names operations, as theirs does, has them applied;
 * facts come from searches in place of a dialogue; the answerer is the checkpoint without its adapter and reads the
 * whole bank; with `memory-r1-retrieved` the bank holds 16 facts and four are read, by likeness to the question
 * (`memoriesFor`), where theirs reads 60. The operations are counted in clauses of weight 0.
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

/**
 * Its answerer reads the memories that a retrieval with the question brings (section 3.3), not all of the bank: each fact
 * is a passage.
 */
export const memoriesFor = (question: string, bank: string, most: number): Passage[] =>
  likest(
    question,
    statementsOf(bank).map((text, i) => ({
      id: `memory-${i}`,
      title: 'memory',
      text,
      sentences: [text],
    })),
    most,
  );

/** The bank as its last block leaves it, as a passage. */
const bankOf = (rollout: Rollout, cap?: number): Passage[] =>
  blockRead(rollout, 'memory', (_, blocks) => banksOf(blocks, cap).at(-1) ?? '');

export const memoryR1 = fixedReward({
  id: 'memory-r1',
  name: 'Memory-R1',
  source: 'Memory-R1, arXiv 2508.19828',
  range: [0, 1],
  frozen: { from: 'memory', passages: (rollout) => bankOf(rollout) },
  clauses: clausesBy(),
});

const LIMITS = { cap: 16, read: 4 } as const;

export const memoryR1Retrieved = fixedReward({
  id: 'memory-r1-retrieved',
  name: 'Memory-R1, four of sixteen facts',
  source: 'Memory-R1, arXiv 2508.19828, section 3.3',
  range: [0, 1],
  frozen: {
    from: 'memory',
    passages: (rollout) =>
      bankOf(rollout, LIMITS.cap).flatMap(({ text }) =>
        memoriesFor(rollout.question.text, text, LIMITS.read),
      ),
  },
  clauses: clausesBy(LIMITS.cap),
});
