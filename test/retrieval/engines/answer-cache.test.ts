import { describe, expect, it } from 'vitest';
import { AnswerCache, type TextStore } from '../../../src/retrieval/engines/answer-cache.ts';
import type { Found } from '../../../src/retrieval/engines/kinds/passages.ts';

const answer = (id: string, text = 'x', title = ''): Found[] => [
  { passage: { id, title, text, sentences: [text] }, score: null },
];

class Store implements TextStore {
  readonly texts = new Map<string, string>();
  get = (key: string): Promise<string | undefined> => Promise.resolve(this.texts.get(key));
  set = (key: string, text: string): Promise<void> => {
    this.texts.set(key, text);
    return Promise.resolve();
  };
}

describe('answers that were given before', () => {
  it('are given again, the longest unused forgotten first', async () => {
    const cache = new AnswerCache({ entries: 2 });
    cache.set('a', answer('a'));
    cache.set('b', answer('b'));
    expect(await cache.get('a')).toEqual(answer('a'));
    cache.set('c', answer('c'));
    expect(cache.size).toBe(2);
    expect(await cache.get('b')).toBeNull();
    expect(await cache.get('a')).toEqual(answer('a'));
    expect(await cache.get('c')).toEqual(answer('c'));
  });

  it('take at most so many characters: 200 an answer, its title, its text twice', async () => {
    const cache = new AnswerCache({ chars: 500 });
    cache.set('a', answer('a', 'ten chars.', 'four'));
    expect(cache.chars).toBe(200 + 4 + 20);
    cache.set('b', answer('b', 'ten chars.', 'four'));
    expect(cache.chars).toBe(448);
    // 448 + 224 are too many: the first goes.
    cache.set('c', answer('c', 'ten chars.', 'four'));
    expect([cache.size, cache.chars]).toEqual([2, 448]);
    expect(await cache.get('a')).toBeNull();
  });

  it('count once where one is replaced', () => {
    const cache = new AnswerCache();
    cache.set('a', answer('a', 'long long text'));
    cache.set('a', answer('a', ''));
    expect([cache.size, cache.chars]).toEqual([1, 200]);
    cache.clear();
    expect([cache.size, cache.chars]).toEqual([0, 0]);
  });

  it('are asked for again once they are too old', async () => {
    let now = 1000;
    const cache = new AnswerCache({ maxAgeMs: 50, clock: () => now });
    cache.set('a', answer('a'));
    now = 1050;
    expect(await cache.get('a')).toEqual(answer('a'));
    now = 1051;
    expect(await cache.get('a')).toBeNull();
    expect(cache.size).toBe(0);
  });

  it('outlive the cache in a store, with their time and address', async () => {
    let now = 1000;
    const store = new Store();
    const options = { store, maxAgeMs: 50, clock: () => now };
    const found: Found[] = [
      {
        passage: { id: 'a', title: 'A', text: 'x', sentences: ['x'], url: 'https://a.example/x' },
        score: 0.5,
      },
      ...answer('b'),
    ];
    new AnswerCache(options).set('a', found);
    now = 1040;
    const next = new AnswerCache(options);
    expect(await next.get('a')).toEqual(found);
    // It is as old as when it was given, not as when it was read.
    now = 1060;
    expect(await next.get('a')).toBeNull();
  });

  it.each([
    ['no JSON', '{'],
    ['another shape', '{"at":1000,"found":[{"passage":{}}]}'],
    [
      'an address that runs code',
      JSON.stringify({
        at: 1000,
        found: [
          {
            passage: { id: 'a', title: '', text: '', sentences: [], url: 'javascript:alert(1)' },
            score: null,
          },
        ],
      }),
    ],
  ])('are asked for again where the store holds %s', async (_, text) => {
    const store = new Store();
    store.texts.set('a', text);
    expect(await new AnswerCache({ store, clock: () => 1000 }).get('a')).toBeNull();
  });

  it('do without a store that fails', async () => {
    const fails = (): Promise<never> => Promise.reject(new Error('quota'));
    const cache = new AnswerCache({ store: { get: fails, set: fails } });
    expect(await cache.get('a')).toBeNull();
    cache.set('a', answer('a'));
    expect(await cache.get('a')).toEqual(answer('a'));
  });
});
