import { describe, expect, it } from 'vitest';
import { expectLinear } from '../../../fuzz/subjects/cost.ts';
import { htmlToText } from '../../../../src/retrieval/engines/kinds/plain-text.ts';

describe('markup', () => {
  it('becomes text once, and what is no tag stays', () => {
    expect(htmlToText('a <b>b</b>c<br>d &lt;i&gt; &amp;lt; 1 < 2 > 0 &#x1F43A;')).toBe(
      'a bc d <i> &lt; 1 < 2 > 0 🐺',
    );
    expect(htmlToText('<script>alert(1)</script>x<style>y</style>')).toBe('x');
    expect(htmlToText('&#0;&#xD800;&bogus;')).toBe('\uFFFD\uFFFD&bogus;');
  });

  it('takes time in proportion to its length', async () => {
    for (const part of ['<', '<script', '<a ', '&#', '<!--', '&amp;', "'"])
      await expectLinear((times) => htmlToText(part.repeat(times)), 60_000, part);
  });
});
