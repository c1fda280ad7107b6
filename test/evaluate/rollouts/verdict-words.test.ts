import { describe, expect, it } from 'vitest';
import { verdictWords } from '../../../src/evaluate/rollouts/verdict-words.ts';
import { BORN, FILM, imported, searched } from './hops/rollout.ts';

const first = { query: 'director of Red Fog', hits: [FILM] };
const born = { query: 'Ida Holm', source: 'web', hits: [BORN] } as const;

describe('the outcome of a rollout as text', () => {
  it('says of a right one how it searched, and whether the evidence was found', () => {
    expect(verdictWords(searched([first, born], 'Oslo'))).toBe(
      'Right, after 2 searches of the local corpus and the web; both passages that state it were found.',
    );
    expect(verdictWords(searched([first], 'Oslo'))).toBe(
      'Right, after 1 search of the local corpus; 1 of the 2 passages that state it never arrived, so part of it is memory or a guess.',
    );
    expect(verdictWords(searched([], 'Oslo'))).toMatch(/^Right, without a search; 2 of the 2/);
  });

  it('says of a wrong one why', () => {
    expect(verdictWords(searched([first, born], 'Rome'))).toBe(
      'Wrong, after 2 searches of the local corpus and the web. The second hop’s passage was found and misread: it says “Oslo”, the answer says “Rome”.',
    );
  });

  it('counts what STIE refused; a refused query searched nothing', () => {
    const again = { ...first, refused: true };
    expect(verdictWords(searched([first, again, again, born], 'Oslo'))).toMatch(
      /^Right, after 2 searches .* On the way STIE refused 2 queries as no progress\.$/,
    );
  });

  it('is silent where nobody can say', () => {
    expect(verdictWords(searched([first], 'Oslo', { answers: [] }))).toBeNull();
    const bare = imported(searched([first, born], 'Oslo'), { supporting: [] });
    expect(verdictWords(bare)).toMatch(/^Right, [^;]*\.$/);
  });
});
