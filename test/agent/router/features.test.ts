import { describe, expect, it } from 'vitest';
import { routerFeatures, type RouterState } from '../../../src/agent/router/features.ts';

const state = (change: Partial<RouterState> = {}): RouterState => ({
  question: 'Who wrote Old Wolf?',
  query: 'author',
  round: 1,
  maxSearches: 8,
  past: [],
  roomLeft: 1,
  localCoverage: 0.5,
  ...change,
});
const past = (query: string, source: 'local' | 'web' | 'both', missed = false) => ({
  query,
  source,
  missed,
});

describe("the router's state", () => {
  it('is sixteen numbers that can be worked out by hand', () => {
    const features = routerFeatures({
      // 9 words of 30; "of" twice: 3 hops, (3 − 1) / 3.
      question: 'Name the birth city of the author of Silver.',
      // 3 words of 12; one name of 2.
      query: 'author of Silver',
      round: 3,
      maxSearches: 4,
      past: [past('Silver', 'web', true), past('plot Silver', 'local')],
      roomLeft: 0.25,
      localCoverage: 0.75,
    });
    expect(features).toEqual({
      'question length': 9 / 30,
      hops: 2 / 3,
      comparison: 0,
      'local coverage': 0.75,
      round: 0.5,
      'last missed': 0,
      'missed locally': 0,
      'missed on the web': 1,
      'last was local': 1,
      'last was web': 0,
      'retry after local': 1,
      'retry after web': 0,
      'repeated query': 0,
      'query length': 0.25,
      'names in query': 0.5,
      'room left': 0.25,
    });
  });

  it('ends at 1 for long texts and many names', () => {
    const long = Array.from({ length: 40 }, () => 'word').join(' ');
    const features = routerFeatures(
      state({ question: long, query: `Ann met Bob met Cid ${long}`, round: 20 }),
    );
    expect(features['question length']).toBe(1);
    expect(features['query length']).toBe(1);
    expect(features['names in query']).toBe(1);
    expect(features.round).toBe(1);
  });

  it.each(['Were both founded in 1900?', 'Which is OLDER, Ann or Bob?', 'Who was first there?'])(
    'sees a comparison in %j',
    (question) => expect(routerFeatures(state({ question })).comparison).toBe(1),
  );

  it('sees no comparison inside a longer word', () =>
    expect(routerFeatures(state({ question: 'Who is the author?' })).comparison).toBe(0));

  it('takes the same words for a repeat, in whatever case and with whatever signs', () => {
    const asked = [past('Author of Old Wolf?', 'local'), past('something else', 'web')];
    const repeated = (query: string) =>
      routerFeatures(state({ query, past: asked }))['repeated query'];
    expect(repeated('author of old wolf')).toBe(1);
    expect(repeated('author of Old Fox')).toBe(0);
  });

  it('is a retry only where the last search named the same', () => {
    const after = (last: ReturnType<typeof past>, query: string) => {
      const features = routerFeatures(state({ query, past: [past('x', 'both'), last] }));
      return [features['retry after local'], features['retry after web']];
    };
    expect(after(past('Old Wolf', 'web'), 'writer of Old Wolf')).toEqual([0, 1]);
    expect(after(past('Old Fox', 'web'), 'writer of Old Wolf')).toEqual([0, 0]);
    // Without a name it cannot be told.
    expect(after(past('birth city', 'local'), 'birth city')).toEqual([0, 0]);
    expect(after(past('Old Wolf', 'both'), 'writer of Old Wolf')).toEqual([0, 0]);
  });

  it('forgets a miss that is three searches old', () => {
    const missed = past('a', 'local', true);
    const found = past('b', 'web');
    const locally = (searches: RouterState['past']) =>
      routerFeatures(state({ past: searches }))['missed locally'];
    expect(locally([missed])).toBe(1);
    expect(locally([missed, found])).toBe(1);
    expect(locally([missed, found, found])).toBe(0);
    expect(locally([past('a', 'local'), past('b', 'web', true)])).toBe(0);
  });

  it('has a first round of 0, also where no search is allowed', () => {
    expect(routerFeatures(state()).round).toBe(0);
    expect(routerFeatures(state({ maxSearches: 0, round: 1 })).round).toBe(0);
    expect(routerFeatures(state({ maxSearches: 0, round: 2 })).round).toBe(1);
  });
});
