import { itemAt } from '../../base/items.ts';
import type { Passage } from '../../records/records.ts';
import type { Rollout } from '../../records/rollout.ts';
import { words } from './normalisers.ts';
import { contentWords, namesIn } from './evidence.ts';

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

/** Long answers: which questions want one, and what its prose is worth beside gold and passages. */

/** Whether the question asks for prose. */
export const wantsLongAnswer = ({
  type,
  summary,
}: {
  type?: string;
  summary?: readonly string[];
}): boolean => type === 'summary' || summary !== undefined;

/** Statements of a prose text: its sentences, those without words left out. */
export const statementsOf = (prose: string): string[] =>
  prose
    .split(/(?<=[.!?])\s+/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => words(sentence).length > 0);

/** Share of its other content words that a passage must hold of a statement with one name or number. */
const OTHER_WORDS = 1 / 3;

interface ReadPassage {
  words: ReadonlySet<string>;
  text: string;
}

const readPassage = ({ title, text }: Pick<Passage, 'title' | 'text'>): ReadPassage => {
  const all = words(`${title} . ${text}`);
  return { words: new Set(all), text: ` ${all.join(' ')} ` };
};

/**
 * Whether one passage supports a statement, told by its words alone: the passage holds every name of it
 * whole and every number. Two of these together say what the statement is about and what it says of it;
 * beside a single one a third of the other content words must be in the passage, and beside none all
 * of them. How the names are related is not read: a statement that turns the relation round passes.
 */
function supports(passage: ReadPassage, statement: string): boolean {
  const content = contentWords(statement);
  if (content.length === 0) return false;
  const names = namesIn(statement).map((name) => words(name).join(' '));
  if (names.some((name) => !passage.text.includes(` ${name} `))) return false;
  const named = new Set(names.flatMap((name) => name.split(' ')));
  const rest = content.filter((word) => !named.has(word));
  const figures = rest.filter((word) => /\d/.test(word));
  if (figures.some((word) => !passage.words.has(word))) return false;
  const others = rest.filter((word) => !/\d/.test(word));
  const held = others.filter((word) => passage.words.has(word)).length;
  const told = new Set(names).size + figures.length;
  if (told >= 2) return true;
  return told === 1 ? held >= OTHER_WORDS * others.length : held === others.length;
}

/** Tells of a statement whether one of these passages supports it. */
export function supporter(
  passages: readonly Pick<Passage, 'title' | 'text'>[],
): (statement: string) => boolean {
  const read = passages.map(readPassage);
  return (statement) => read.some((passage) => supports(passage, statement));
}

/** What the prose of an answer is worth. */
export interface ProseScores {
  /** ROUGE-L with the gold summary; null where the question has none. */
  rougeL: number | null;
  /** Share of its statements that a retrieved passage supports; 0 without statements. */
  supported: number;
}

/** @param retrieved every passage that the rollout was shown, noise too: it is what the policy could know */
export function proseScores(
  prose: string,
  gold: readonly string[] | undefined,
  retrieved: readonly Pick<Passage, 'id' | 'title' | 'text'>[],
): ProseScores {
  const statements = statementsOf(prose);
  const supported = supporter([...new Map(retrieved.map((one) => [one.id, one])).values()]);
  const held = statements.filter(supported);
  return {
    rougeL: gold === undefined ? null : rougeL(statements, gold),
    supported: statements.length === 0 ? 0 : held.length / statements.length,
  };
}

/** Passages that a rollout was shown. */
export const retrievedPassages = ({ events }: Pick<Rollout, 'events'>): Passage[] =>
  events.flatMap((event) =>
    event.kind === 'retrieve' || event.kind === 'background'
      ? event.hits.map(({ passage }) => passage)
      : [],
  );
