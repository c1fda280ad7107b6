import { clause } from '../../parts/clause.ts';
import { fixedReward } from '../../parts/definition.ts';
import { banksOf, operations, OPERATIONS } from '../../parts/memory-bank.ts';

/*
 * Memory-R1 (arXiv 2508.19828; no code): exact match of what a frozen answerer says from the memory bank that the
 * policy keeps. Departures: the shipped policy writes the bank anew behind every result, and what it added, updated,
 * deleted or kept is told by comparing two of them; a policy that names operations, as theirs does, has them applied;
 * facts come from searches in place of a dialogue; the answerer is the checkpoint without its adapter and reads the
 * whole bank. The operations are counted in clauses of weight 0.
 */
export const memoryR1 = fixedReward({
  id: 'memory-r1',
  name: 'Memory-R1',
  source: 'Memory-R1, arXiv 2508.19828',
  range: [0, 1],
  frozen: 'memory',
  clauses: ({ frozen, blocks }) => {
    const banks = banksOf(blocks);
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
  },
});
