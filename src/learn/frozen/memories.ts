import type { Passage } from '../../records/records.ts';
import { LexicalIndex } from '../../retrieval/lexical/lexical.ts';
import { statementsOf } from '../rewards/parts/memory-bank.ts';

/**
 * Memory-R1's answerer reads the memories that a retrieval with the question brings (arXiv 2508.19828, section 3.3: 30 of each
 * speaker), not all of the bank: each fact of the bank is a passage, ordered by BM25 with the question; of those that share no word
 * with it, what was written last comes first.
 * @param bank statements with " . " between them
 * @param most facts that are read
 */
export function memoriesFor(question: string, bank: string, most: number): Passage[] {
  const facts = statementsOf(bank).map((text, i): Passage => ({
    id: `memory-${i}`,
    title: 'memory',
    text,
    sentences: [text],
  }));
  const found = new LexicalIndex(facts).search(question, facts.length).map((one) => one.passage);
  const rest = facts.filter((fact) => !found.includes(fact)).toReversed();
  return [...found, ...rest].slice(0, most);
}
