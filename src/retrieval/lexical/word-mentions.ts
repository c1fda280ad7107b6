import { createTurns } from '../../base/turns.ts';
import type { Passage } from '../../records/records.ts';
import { isAlmost, type Mentions } from './mentions.ts';
import { foldText, termsOfFolded } from './text.ts';

type Read = Pick<Passage, 'title' | 'text'>;

/**
 * Mentions of certain words alone, by one reading of the passages: the names of many questions are looked up
 * at the price of one. Other words are in no passage, as far as it tells.
 *
 * @param words the only ones that may be asked for, as terms
 * @param onRead told of the passages that are read so far
 * @throws the signal's reason
 */
export async function mentionsOfWords(
  passages: Iterable<readonly Read[]> | AsyncIterable<readonly Read[]>,
  words: ReadonlySet<string>,
  onRead: (passages: number) => void = () => undefined,
  signal?: AbortSignal,
): Promise<Mentions> {
  const pause = createTurns(signal);
  /** Numbers of the passages that hold a word. */
  const holders = new Map([...words].map((word) => [word, new Set<number>()]));
  const vocabulary = new Set<string>();
  let read = 0;
  for await (const some of passages) {
    for (const { title, text } of some) {
      await pause();
      for (const term of termsOfFolded(foldText(`${title}\n${text}`))) {
        vocabulary.add(term);
        holders.get(term)?.add(read);
      }
      read++;
    }
    onRead(read);
  }
  const together = (asked: readonly string[]): boolean => {
    const [first, ...others] = asked
      .map((word) => holders.get(word) ?? new Set<number>())
      .toSorted((a, b) => a.size - b.size);
    if (!first) return read > 0;
    return [...first].some((passage) => others.every((held) => held.has(passage)));
  };
  const almost = async (word: string, stop: AbortSignal | undefined): Promise<boolean> => {
    const turn = createTurns(stop);
    for (const other of vocabulary) {
      await turn();
      if (isAlmost(word, other)) return true;
    }
    return false;
  };
  return {
    together: async (asked, stop) => {
      stop?.throwIfAborted();
      return together(asked);
    },
    almost,
  };
}
