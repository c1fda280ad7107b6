import { describe, expect, it } from 'vitest';
import type { ChainStep, Passage } from '../../../src/records/records.ts';
import type { SearchTarget } from '../../../src/records/hits.ts';
import type { WorldQuestion } from '../../../src/retrieval/world/manifest.ts';
import type { MeasuredWorld } from '../../../src/evaluate/world/measured.ts';
import {
  measureWorld,
  reportText,
  bestThreshold,
  routedSteps,
} from '../../../src/evaluate/world/report.ts';
const passage = (id: string, title: string, text: string, noise?: Passage['noise']): Passage => ({
  id,
  title,
  text,
  sentences: [text],
  ...(noise && { noise }),
});
const local = [
  passage('local-0', 'Oslo', 'Oslo lies in Norway.'),
  passage('local-1', 'Council of Oslo', 'As of 2001, Oslo has Ada as its mayor.', 'stale'),
  passage('local-2', 'Notes on Oslo', 'Some say that Oslo lies in Peru.', 'contradicting'),
  passage('local-3', 'Bergen', 'Bergen lies in Norway.'),
];
const web = [
  passage('web-0', 'Council of Oslo', 'As of 2020, Oslo has Bela as its mayor.'),
  passage('web-1', 'Bergen', 'Bergen is found in Norway.'),
  passage('web-2', 'Bergen', 'Bergen (1999) is a film by Cora.'),
  passage('web-3', 'Christiania', 'Christiania is another name of Oslo.'),
];
const step = (
  relation: string,
  title: string,
  object: string,
  ids: string[],
  query: string,
  more: Partial<ChainStep> = {},
): ChainStep => ({
  subject: title.replace('Council of ', ''),
  relation,
  object,
  title,
  passageId: ids[0] ?? '',
  passageIds: ids,
  query,
  ...more,
});
const oslo = step('city.country', 'Oslo', 'Norway', ['local-0'], 'country of Christiania', {
  betterQuery: 'country of Oslo',
  rivals: [{ object: 'Peru', passageId: 'local-2', why: 'contradicting' }],
});
const mayor = step('city.mayor', 'Council of Oslo', 'Bela', ['web-0'], 'mayor of Oslo', {
  betterQuery: 'Council of Oslo',
  rivals: [{ object: 'Ada', passageId: 'local-1', why: 'stale', date: 2001 }],
});
const bergen = step('city.country', 'Bergen', 'Norway', ['local-3', 'web-1'], 'country of Bergen');
const question = (
  id: string,
  type: WorldQuestion['type'],
  answers: string[],
  chain: ChainStep[],
  split: WorldQuestion['split'] = 'test',
): WorldQuestion => ({
  id,
  text: `${id}?`,
  answers,
  ...(type && { type }),
  ...(chain.length > 0 && { hops: chain.length }),
  chain,
  supporting: chain.map((s) => s.title),
  ...(split && { split }),
});
const questions = [
  question('a', 'bridge', ['Norway'], [oslo]),
  question('b', 'bridge', ['Norway'], [bergen]),
  question('c', 'yesno', ['yes'], [oslo, mayor]),
  question('d', 'yesno', ['no'], [mayor]),
  question('e', 'yesno', ['no'], [bergen]),
  question('f', 'computation', ['7'], []),
  question('g', 'bridge', ['Bela'], [mayor], 'train'),
];

/** What each source gives to a query, written by hand. */
const RESULTS: Readonly<Record<string, readonly string[]>> = {
  'local country of Christiania': ['local-2', 'local-3'],
  'local country of Oslo': ['local-2', 'local-0'],
  'both country of Christiania': ['web-3', 'local-2', 'local-3'],
  'local mayor of Oslo': ['local-1', 'local-0'],
  'web mayor of Oslo': ['web-0'],
  'both mayor of Oslo': ['local-1', 'web-0'],
  'local country of Bergen': ['local-3'],
  'web country of Bergen': ['web-2'],
  'both country of Bergen': ['local-3', 'web-2'],
  'both a?': ['local-0'],
  'both b?': ['web-1'],
  'both c?': ['local-0', 'local-1'],
};
const byId = new Map([...local, ...web].map((p) => [p.id, p]));
const found = (source: SearchTarget, query: string): Passage[] =>
  (RESULTS[`${source} ${query}`] ?? []).flatMap((id) => byId.get(id) ?? []);
const measured: MeasuredWorld = {
  world: {
    manifest: {
      format: 'forage.world/1',
      seed: 3,
      counts: { local: 4, web: 4, questions: 7 },
      vectors: null,
      files: {},
    },
    local,
    questions,
  },
  web,
  retriever: {
    search: (source, query) =>
      Promise.resolve({
        query,
        source,
        hits: found(source, query).map((p) => ({
          passage: p,
          score: 1,
          source: p.id.startsWith('web') ? ('web' as const) : ('local' as const),
        })),
        latencyMs: 0,
        addedDelayMs: 0,
      }),
  },
  local: {
    // By words, the local corpus finds nothing of Bergen.
    lexical: (query) => Promise.resolve(query === 'country of Bergen' ? [] : found('local', query)),
    dense: null,
  },
  countTokens: (text) => text.trim().split(/\s+/).length,
};

const report = await measureWorld(measured);

describe('recall', () => {
  it('is counted a query and a source that holds the passage', () => {
    // Christiania: local misses. Mayor: the web finds. Bergen: local finds, the web misses.
    expect(report.bySource).toEqual({
      'local, lexical': { value: 0, n: 2 },
      'local, fused': { value: 0.5, n: 2 },
      'web, lexical': { value: 0.5, n: 2 },
      'both, fused': { value: 2 / 3, n: 3 },
    });
    expect(report.recallAt5).toEqual({ lexical: 0.25, dense: null, fused: 0.5, both: 2 / 3 });
    expect(report.bothAt).toEqual({ 1: 1 / 3, 2: 2 / 3, 3: 2 / 3, 5: 2 / 3 });
  });

  it('rises by the second query, whose words the first results may tell', () => {
    // Of two misses the first is mended ("Oslo" is in web-3); the other has no second query.
    expect(report.secondQuery).toEqual({
      recallAt5: 0.75,
      mended: { value: 0.5, n: 2 },
      told: { value: 1, n: 1 },
    });
  });

  it('counts what misleads', () => {
    expect(report.misleading).toEqual({
      rightFirst: { value: 1 / 3, n: 3 },
      wrongAmongFive: { value: 2 / 3, n: 3 },
      wrongAbove: { value: 2 / 3, n: 3 },
      // Christiania and the mayor; of Bergen the local corpus gives the right page.
      onlyWrongLocally: { value: 2 / 3, n: 3 },
    });
  });

  it("counts where the question's own words are enough", () => {
    // a and b of five questions with a chain; c lacks the mayor's page of today.
    expect(report.backgroundSuffices).toEqual({ search: { value: 0.4, n: 5 } });
  });
});

describe('one feature against the right source', () => {
  it('is the best of all thresholds and both ways round', () => {
    const cases = (text: string) =>
      text.split(' ').map((one) => ({ value: Number(one.slice(1)), local: one.startsWith('l') }));
    expect(bestThreshold(cases('l1 l2 w3 w4'))).toBe(1);
    expect(bestThreshold(cases('w1 w2 l3 l4'))).toBe(1);
    // One value for all tells nothing: the more frequent source.
    expect(bestThreshold(cases('l1 l1 w1'))).toBeCloseTo(2 / 3);
    // w | l l w: three of four.
    expect(bestThreshold(cases('w1 l2 l3 w4'))).toBe(0.75);
    expect(bestThreshold([])).toBe(0);
  });

  it('sees the state before each gold query, and the local corpus as right where it holds the page', () => {
    const steps = routedSteps(measured);
    expect(steps.map((s) => s.right)).toEqual(['local', 'local', 'local', 'web', 'web', 'local']);
    expect(steps[3]?.features['last was local']).toBe(1);
    expect(steps[2]?.features['last was local']).toBe(0);
    expect(report.goldQueries).toEqual({ n: 6, local: 4 / 6 });
    // Local titles name Oslo and Bergen, not Christiania: a threshold is right for the two queries
    // for Bergen, or for the two mayors and Christiania, and naming local always for four.
    const coverage = report.features.find((f) => f.name === 'local coverage');
    expect(coverage?.accuracy).toBeCloseTo(4 / 6);
    const best = Math.max(...report.features.map((f) => f.accuracy));
    expect(report.bestRoutingFeature.accuracy).toBe(best);
  });
});

describe('contents', () => {
  it('counts pages by the corpora that hold their title', () => {
    expect(report.contents.pages).toEqual({
      localOnly: 1,
      both: 1,
      stale: 1,
      webOnly: 1,
      sharedTitles: 1,
    });
    expect(report.contents.noise).toEqual({ local: { contradicting: 1, stale: 1 }, web: {} });
  });

  it('counts forms, yes and no, and answers', () => {
    expect(report.contents.forms).toEqual({
      test: { bridge: { 1: 2 }, computation: { 0: 1 }, yesno: { 1: 2, 2: 1 } },
      train: { bridge: { 1: 1 } },
    });
    expect(report.contents.yes['test']).toBeCloseTo(1 / 3);
    expect(report.contents.answers).toEqual({
      distinct: 2,
      questions: 3,
      repeated: 2 / 3,
      most: [
        { answer: 'Norway', count: 2 },
        { answer: '7', count: 1 },
      ],
    });
  });

  it('measures passages with their title', () => {
    // Words of " title : text", by hand: 6, 13, 11, 6 and 13, 7, 9, 8.
    expect(report.contents.tokens).toEqual({ mean: 73 / 8, p95: 13, most: 13, over60: 0 });
  });

  it('prints as text what it holds', () => {
    const text = reportText(report);
    expect(text).toMatch(/as searched, each source +50\.0 %/);
    expect(text).toMatch(/misses that it fixes +50\.0 % of 2/);
    expect(text).toMatch(/by vectors \(local\) +-/);
  });
});
