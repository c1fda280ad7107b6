import { likest } from '../../agent/answers/evidence.ts';
import type { Passage } from '../../records/records.ts';
import { statementsOf } from '../rewards/parts/memory-bank.ts';

/**
 * Memory-R1's answerer reads the memories that a retrieval with the question brings (arXiv 2508.19828, section 3.3: 30 of each
 * speaker), not all of the bank: each fact of the bank is a passage.
 * @param bank statements with " . " between them
 * @param most facts that are read
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
