import type { Passage } from '../../records/records.ts';
import { LexicalIndex } from '../../retrieval/lexical/lexical.ts';

/**
 * The facts that are most like a question, by BM25; of those that share no word with it, what is last comes first.
 * @param most facts that are read
 */
export function likest(question: string, facts: readonly Passage[], most: number): Passage[] {
  const found = new LexicalIndex(facts).search(question, facts.length).map((one) => one.passage);
  const rest = facts.filter((fact) => !found.includes(fact)).toReversed();
  return [...found, ...rest].slice(0, most);
}
