import type { Passage } from '../../records/records.ts';
import type { Rollout } from '../../records/rollout.ts';
import { words } from './answers.ts';
import { contentWords, namesIn } from './evidence.ts';
import { rougeL } from './rouge.ts';

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
