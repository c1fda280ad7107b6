import { describe, expect, it } from 'vitest';
import { mentionsIn } from '../../../src/retrieval/lexical/mentions.ts';
import { mentionsOfWords } from '../../../src/retrieval/lexical/word-mentions.ts';
import { passage } from '../passages.ts';

const PASSAGES = [
  passage('a', 'Old Wolf', 'A novel by Kerlund.'),
  passage('b', 'Low Tide', 'Wolves are in it, and harbours. Étoile’s too.'),
  passage('c', 'Wolf', 'Wolf, wolf, tide.'),
];
const WORDS = ['wolf', 'tide', 'kerlund', 'old', 'etoile', 'harbour', 'wol', 'kerlnud', 'comet'];

describe('mentions of certain words', () => {
  it('are those that reading every passage for every word finds, in batches of any size', async () => {
    const all = mentionsIn(PASSAGES);
    const asked = WORDS.flatMap((one) => WORDS.map((other) => [one, other]));
    for (const size of [1, 2, 3]) {
      const batches = Array.from({ length: Math.ceil(3 / size) }, (_, at) =>
        PASSAGES.slice(at * size, (at + 1) * size),
      );
      const read: number[] = [];
      const some = await mentionsOfWords(batches, new Set(WORDS), (count) => read.push(count));
      expect(read.at(-1)).toBe(3);
      for (const words of [[], ...asked])
        expect(await some.together(words), words.join(' ')).toBe(await all.together(words));
      for (const word of WORDS) expect(await some.almost(word), word).toBe(await all.almost(word));
    }
  });

  it('are none where there are no passages, and end where told', async () => {
    const none = await mentionsOfWords([], new Set(WORDS));
    expect(await none.together([])).toBe(false);
    expect(await none.together(['wolf'])).toBe(false);
    expect(await none.almost('wolf')).toBe(false);
    const stopped = AbortSignal.abort(new Error('left'));
    const reading = mentionsOfWords([PASSAGES], new Set(WORDS), () => undefined, stopped);
    await expect(reading).rejects.toThrow('left');
    const some = await mentionsOfWords([PASSAGES], new Set(WORDS));
    await expect(some.almost('wolf', stopped)).rejects.toThrow('left');
  });
});
