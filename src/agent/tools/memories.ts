import type { Hit } from '../../records/hits.ts';
import type { Passage } from '../../records/records.ts';
import { LexicalIndex } from '../../retrieval/lexical/lexical.ts';

/** Single facts in place of passages: what Memory-R1's answerer reads (arXiv 2508.19828, section 3.3). */

/**
 * The facts that are most like a question, by BM25; of those that share no word with it, what is last comes first.
 * @param most facts that are read
 */
export function likest(question: string, facts: readonly Passage[], most: number): Passage[] {
  const found = new LexicalIndex(facts).search(question, facts.length).map((one) => one.passage);
  const rest = facts.filter((fact) => !found.includes(fact)).toReversed();
  return [...found, ...rest].slice(0, most);
}

/**
 * What is read of the memory of a manager that only adds: every sentence that was found is a fact of it, the first `cap` of them,
 * and the `read` ones most like the query are remembered.
 */
export function remembered(
  query: string,
  hits: readonly Hit[],
  { cap, read }: { cap: number; read: number },
): Hit[] {
  const facts = hits.flatMap((hit) =>
    hit.passage.sentences.map((text, i) => ({
      hit,
      fact: { ...hit.passage, id: `${hit.passage.id}.${i}`, text, sentences: [text] },
    })),
  );
  const held = facts.slice(0, cap);
  const chosen = likest(
    query,
    held.map(({ fact }) => fact),
    read,
  );
  return chosen.flatMap((passage) =>
    held.flatMap(({ hit, fact }) => (fact === passage ? [{ ...hit, passage }] : [])),
  );
}
