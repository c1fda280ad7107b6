import type { Mentions } from '../../retrieval/lexical/mentions.ts';
import { namesOfQuestion, type NameInQuestion } from './names-in-question.ts';

/** The words by which names of these questions are looked up. */
export const wordsOfNames = (questions: readonly string[]): Set<string> =>
  new Set(
    questions.flatMap((question) =>
      namesOfQuestion(question).flatMap(({ readings }) => readings.flat()),
    ),
  );

/**
 * Names of the question that no passage of these sources mentions, as they are written there.
 *
 * @param sources what is asked; null for one that cannot tell, such as a search engine: nothing is then
 *   called unknown
 */
export async function unknownNames(
  question: string,
  sources: readonly (Mentions | null)[],
  signal?: AbortSignal,
): Promise<string[]> {
  const known = sources.flatMap((source) => source ?? []);
  if (known.length === 0 || known.length < sources.length) return [];
  const some = async (ask: (source: Mentions) => Promise<boolean>): Promise<boolean> => {
    for (const source of known) if (await ask(source)) return true;
    return false;
  };
  const has = (words: readonly string[]): Promise<boolean> =>
    some((source) => source.together(words, signal));
  // A single word may be a slip, "Brittish", or an adjective of a name.
  const hasAlmost = (word: string): Promise<boolean> =>
    some((source) => source.almost(word, signal));
  const isKnown = async ({ readings, apart }: NameInQuestion): Promise<boolean> => {
    for (const words of readings) if (await has(words)) return true;
    const [words = []] = readings;
    if (!apart) return words.length === 1 && hasAlmost(words[0] ?? '');
    for (const each of words) if (!(await has([each])) && !(await hasAlmost(each))) return false;
    return true;
  };
  const unknown: string[] = [];
  for (const name of namesOfQuestion(question))
    if (!unknown.includes(name.text) && !(await isKnown(name))) unknown.push(name.text);
  return unknown;
}
