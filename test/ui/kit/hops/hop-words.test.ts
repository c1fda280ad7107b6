import { describe, expect, it } from 'vitest';
import {
  hopMap,
  HOP_NAMES,
  type Hop,
  type HopState,
} from '../../../../src/evaluate/rollouts/hops.ts';
import {
  HOP_SIGNS,
  hopLabel,
  isFound,
  mapNote,
  stateName,
  whenWords,
} from '../../../../src/ui/kit/hops/HopPicture.tsx';
import { asksWords, relationWords } from '../../../../src/ui/kit/words/step-words.ts';
import {
  BORN,
  CHAIN,
  FILM,
  RAIN,
  searched,
  STALE,
  type Step,
} from '../../../evaluate/rollouts/hops/rollout.ts';
import { ownLines, rolloutsOf } from '../../../formats/rollouts/helpers.ts';

const STATES = Object.keys(HOP_NAMES) as HopState[];

const hopsOf = (steps: readonly Step[], answer: string | null, chain = CHAIN): Hop[] => {
  const map = hopMap(searched(steps, answer, { chain, answers: ['Oslo'] }));
  if (map.kind !== 'chain') throw new Error('the question has a chain');
  return map.hops;
};

const film: Step = { query: 'director of Red Fog', hits: [FILM] };

describe('a hop as text', () => {
  it('says what was asked, what came of it, and when', () => {
    const [first, second] = hopsOf(
      [
        film,
        {
          think: 'Ida Holm directed it',
          query: 'where was Ida Holm born',
          source: 'web',
          hits: [BORN],
        },
      ],
      'Oslo',
    );
    if (!first || !second) throw new Error('the chain has two hops');
    expect(hopLabel(first, 0)).toBe(
      'hop 1, director of the film Red Fog: Ida Holm, found and read, search 1',
    );
    expect(hopLabel(second, 1)).toBe(
      'hop 2, birth city of Ida Holm: Oslo, found and read, search 2',
    );
  });

  it('says what the policy used instead', () => {
    const [, second] = hopsOf(
      [film, { query: 'where was Ida Holm born', source: 'web', hits: [BORN, STALE] }],
      'Bergen',
    );
    if (!second) throw new Error('the chain has two hops');
    expect(hopLabel(second, 1)).toMatch(/found and misread, search 2, used Bergen instead$/);
  });

  it('that failed says how often it was searched, where it is, or that no query named it', () => {
    const born = (source: 'local' | 'web', ...hits: Step['hits']): Step => ({
      query: 'where was Ida Holm born',
      source,
      hits,
    });
    const second = (...steps: Step[]) => {
      const hop = hopsOf([film, ...steps], null)[1];
      if (!hop) throw new Error('the chain has two hops');
      return [hop.state, whenWords(hop)];
    };
    expect(second()).toEqual(['not-searched', 'no query named it']);
    expect(second(born('local', RAIN))).toEqual(['wrong-source', 'it is in the web']);
    expect(second(born('web', RAIN))).toEqual(['not-found', 'search 2']);
    expect(second(born('web', RAIN), born('web', RAIN))).toEqual(['not-found', 'searches 2, 3']);
    expect(second({ ...born('web'), refused: true })).toEqual([
      'not-searched',
      'the query was refused',
    ]);
  });

  it('that the background brought was no search', () => {
    const [hop] = hopsOf([film], 'Oslo');
    if (!hop) throw new Error('the chain has two hops');
    expect(whenWords({ ...hop, look: 0 })).toBe('in the background');
  });

  it('of which only a title is known is called by it', () => {
    const map = hopMap(
      searched([film], 'Oslo', { chain: [], supporting: ['Red Fog', 'Ida Holm'] }),
    );
    if (map.kind !== 'titles') throw new Error('the question has titles alone');
    expect(map.hops.map(hopLabel)).toEqual([
      'hop 1, Red Fog, found, search 1',
      'hop 2, Ida Holm, not searched, no query named it',
    ]);
  });

  it('has a sign and a name of its own in every state', () => {
    expect(new Set(STATES.map((state) => HOP_SIGNS[state])).size).toBe(STATES.length);
    expect(new Set(STATES.map(stateName)).size).toBe(STATES.length);
    // Those whose arrow is whole: the passage came, and nothing tells that it was not read.
    expect(STATES.filter(isFound)).toEqual(['read', 'arrived']);
  });

  it('of a real rollout never says undefined or NaN', async () => {
    const labels = (await rolloutsOf(new Blob([ownLines().slice(0, 4).join('\n')]))).flatMap(
      (rollout) => {
        const map = hopMap(rollout);
        return map.kind === 'none' ? [] : map.hops.map(hopLabel);
      },
    );
    expect(labels.length).toBeGreaterThanOrEqual(8);
    for (const label of labels)
      expect(label).toMatch(/^hop \d, .+, (?:in the background|search|no query|the query|it lies)/);
    expect(labels.join()).not.toMatch(/undefined|null|NaN/);
  });
});

describe('what a step asks for', () => {
  const step = { subject: 'Linus Farvik', relation: 'person.filmsStarring' };

  it.each([
    ['films starring Linus Farvik', 'films starring Linus Farvik'],
    // The question calls its subject by another name: both are there.
    ['films starring Elena Belner', 'films starring Elena Belner (Linus Farvik)'],
    // A part of another name is not the name.
    ['films starring Linus Farviken', 'films starring Linus Farviken (Linus Farvik)'],
    ['', 'films starring of Linus Farvik'],
  ])('by the query “%s” is “%s”', (query, words) => {
    expect(asksWords({ ...step, query })).toBe(words);
  });

  it('is a passage where neither query nor subject are known', () => {
    expect(asksWords({ subject: '', relation: '', query: '' })).toBe('supporting passage');
    expect(asksWords({ subject: '', relation: '', query: 'who is it' })).toBe('who is it');
  });
});

it('names of relations are read as words', () => {
  expect(['company.foundingYear', 'birth_city', 'award-of', 'star'].map(relationWords)).toEqual([
    'founding year',
    'birth city',
    'award of',
    'star',
  ]);
});

describe('the note below the map', () => {
  it('says why there is no map, or what is unknown', () => {
    expect(mapNote(hopMap(searched([film], null, { chain: [], supporting: [] })))).toMatch(
      /^No hop map: the file names neither/,
    );
    expect(
      mapNote(hopMap(searched([film], null, { chain: [], supporting: ['Red Fog'] }))),
    ).toContain('no gold chain');
    expect(mapNote(hopMap(searched([film], null, { chain: CHAIN })))).toBeNull();
  });

  it('says that an answer is in no corpus', () => {
    const missing = {
      subject: 'Ida Holm',
      relation: 'person.birthCity',
      query: 'birth city of Ida Holm',
    };
    const map = hopMap(searched([film], null, { chain: CHAIN.slice(0, 1), missing }));
    expect(mapNote(map)).toBe(
      'No corpus states the birth city of Ida Holm: the right answer is to say so.',
    );
  });
});
