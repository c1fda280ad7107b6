import { describe, expect, it } from 'vitest';
import { idiomsIn, longSentences } from '../../scripts/checks/check-words.ts';

describe('the check of words', () => {
  it('names the line of an idiom and what to write', () => {
    expect(idiomsIn('const a = 1;\n// told from noise\n', [])).toEqual([
      { line: 2, text: '// told from noise', instead: 'distinguishable from' },
    ]);
    expect(idiomsIn('// tokens a second', [])).toHaveLength(1);
    expect(idiomsIn('// gone on with', [])).toHaveLength(1);
  });

  it('lets plain English pass', () => {
    const plain = ['// tokens per second', '// there is no config', '// resumed after a kill'];
    expect(idiomsIn(plain.join('\n'), [])).toEqual([]);
  });

  it('skips a line that is allowed', () => {
    expect(idiomsIn('"in words" is quoted', ['"in words" is quoted'])).toEqual([]);
  });

  it('lists sentences of more than 35 words, not those of tables or code', () => {
    const words = (count: number): string => `${'word '.repeat(count - 1)}end.`;
    expect(longSentences(`A${words(35)} Bee.`)).toEqual([]);
    expect(longSentences(`A ${words(35)} Bee.`)).toHaveLength(1);
    expect(longSentences(`| ${words(60)} |`)).toEqual([]);
  });
});
