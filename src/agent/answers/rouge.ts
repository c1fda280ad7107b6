import { itemAt } from '../../base/items.ts';

/**
 * ROUGE-L of a summary (Lin 2004, "ROUGE: A Package for Automatic Evaluation of Summaries", section 3.2,
 * summary level): each sentence of the reference is met by the union of its longest common subsequences
 * with all sentences of the summary, every word counted no more often than either side has it. F is the
 * plain F1 (β = 1), as Google's `rouge-score` gives it for `rougeLsum`; words are cut as it cuts them, but
 * letters of every script count, where it knows a to z alone. No stemming.
 */

const tokensOf = (sentence: string): string[] =>
  sentence.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];

/** Lengths of the longest common subsequences of all beginnings: row i, column j. */
function lengths(reference: readonly string[], summary: readonly string[]): number[][] {
  const table = [summary.map(() => 0).concat(0)];
  for (const word of reference) {
    const above = itemAt(table, table.length - 1, 'rows');
    const row = [0];
    summary.forEach((other, j) => {
      row.push(
        word === other
          ? itemAt(above, j, 'columns') + 1
          : Math.max(itemAt(above, j + 1, 'columns'), itemAt(row, j, 'columns')),
      );
    });
    table.push(row);
  }
  return table;
}

/** Places in the reference of one longest common subsequence; of several, the one `rouge-score` takes. */
function commonPlaces(reference: readonly string[], summary: readonly string[]): number[] {
  const table = lengths(reference, summary);
  const at = (i: number, j: number): number => itemAt(itemAt(table, i, 'rows'), j, 'columns');
  const places: number[] = [];
  let [i, j] = [reference.length, summary.length];
  while (i > 0 && j > 0) {
    if (reference[i - 1] === summary[j - 1]) {
      places.push(i - 1);
      i--;
      j--;
    } else if (at(i, j - 1) > at(i - 1, j)) j--;
    else i--;
  }
  return places;
}

const countsOf = (sentences: readonly (readonly string[])[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const word of sentences.flat()) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
};

/**
 * F1 of ROUGE-L at summary level, 0 to 1; 0 where either side has no words.
 * @param summary sentences of what was written
 * @param reference sentences of the gold summary
 */
export function rougeL(summary: readonly string[], reference: readonly string[]): number {
  const written = summary.map(tokensOf);
  const gold = reference.map(tokensOf);
  const [n, m] = [written.flat().length, gold.flat().length];
  if (n === 0 || m === 0) return 0;
  const [left, wanted] = [countsOf(written), countsOf(gold)];
  let hits = 0;
  for (const sentence of gold) {
    const union = new Set(written.flatMap((other) => commonPlaces(sentence, other)));
    for (const place of [...union].toSorted((a, b) => a - b)) {
      const word = itemAt(sentence, place, 'words');
      const [have, want] = [left.get(word) ?? 0, wanted.get(word) ?? 0];
      if (have === 0 || want === 0) continue;
      hits++;
      left.set(word, have - 1);
      wanted.set(word, want - 1);
    }
  }
  const [precision, recall] = [hits / n, hits / m];
  return hits === 0 ? 0 : (2 * precision * recall) / (precision + recall);
}
