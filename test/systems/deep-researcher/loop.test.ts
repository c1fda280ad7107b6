import { describe, expect, it } from 'vitest';
import { pageOf } from '../../../src/recipes/parts/pages.ts';
import { browsed, extractFor } from '../../../src/systems/deep-researcher/loop.ts';
import { linksIn } from '../../../src/systems/web-thinker/loop.ts';
import { hit, passage } from '../../fixtures/rollouts.ts';
import { contextText, eventsOf, run } from '../../agent/helpers.ts';

const wolf = passage('w', 'Old Wolf', 'Old Wolf is a novel.', 'It was written by Victor Kerlund.', 'It came out in 1931.'); // prettier-ignore
const kerlund = passage('k', 'Victor Kerlund', 'Victor Kerlund lives.', 'He was born in Borfield.');
const hits = [hit(wolf), hit(kerlund)];
const texts = (query: string, asked: string): string[] =>
  browsed(query, hits, asked, { snippet: 1, extract: 2 }).map(({ passage: { text } }) => text);

describe('pages', () => {
  it('are shown by their beginnings, and opened by their very title', () => {
    expect(texts('author of Old Wolf', '')).toEqual([
      'Old Wolf is a novel.',
      'Victor Kerlund lives.',
    ]);
    expect(texts('old wolf', 'Who has written it?')).toEqual(['It was written by Victor Kerlund.']);
    expect(pageOf('Old', hits)).toBeNull();
    expect(pageOf('', [hit(passage('x', '', 'x'))])).toBeNull();
  });

  it('are read for what shares words with what is asked, in their order, else from their beginning', () => {
    const of = (asked: string, most: number): string[] => extractFor(asked, wolf, most);
    // The third sentence shares two words, the first one; title words are on all of the page.
    expect(of('Which novel came out in 1931, Old Wolf?', 2)).toEqual([
      'Old Wolf is a novel.',
      'It came out in 1931.',
    ]);
    expect(of('Which novel came out in 1931?', 1)).toEqual(['It came out in 1931.']);
    expect(of('Old Wolf', 2)).toEqual(wolf.sentences.slice(0, 2));
  });

  it('link to the names in them that are none of theirs, those of what was asked first', () => {
    expect(linksIn('born', [hit(wolf), hit(kerlund)])).toEqual(['borfield']);
    expect(linksIn('written', [hit(wolf)])).toEqual(['victor kerlund']);
  });
});

describe('a rollout', () => {
  const main = [
    '<think> t</think><search> author of Old Wolf</search>',
    '<think> t</think><search> Victor Kerlund</search>',
    '<think> t</think><short_answer> \\boxed{ Borfield }</short_answer>',
  ];

  it('reads beginnings, then the page that it names', async () => {
    const browse = { snippet: 1, extract: 6 };
    const { rollout } = await run(
      { main },
      { overrides: { system: { id: 'deep-researcher', browse } } },
    );
    const results = rollout.segments.filter(({ role }) => role === 'result');
    expect(results).toHaveLength(2);
    expect(results[0]?.text).toContain('Old Wolf was written by Victor Kerlund.');
    expect(results[0]?.text).not.toContain('1931');
    expect(results[1]?.text).toContain('Victor Kerlund was born in Borfield in 1901.');
    expect(results[1]?.text).not.toContain('Estdor');
    // What it found is in the record whole.
    const [found] = eventsOf(rollout, 'retrieve');
    expect(found?.hits[0]?.passage.sentences).toHaveLength(2);
    expect(contextText(rollout)).not.toContain('1931');
  });
});
