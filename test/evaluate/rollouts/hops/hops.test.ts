import { describe, expect, it } from 'vitest';
import { KeyedRandom } from '../../../../src/base/random.ts';
import { hopMap, type Hop } from '../../../../src/evaluate/rollouts/hops.ts';
import type { ImportedRollout } from '../../../../src/formats/rollouts/shape/imported.ts';
import { drawQuestion, generateMiniWorld, openScope } from '../../../../src/world/world.ts';
import { BORN, FILM, imported, RAIN, searched, STALE } from './rollout.ts';

const hopsOf = (rollout: ImportedRollout): Hop[] => {
  const map = hopMap(rollout);
  if (map.kind === 'none') throw new Error(map.why);
  return map.hops;
};

const states = (rollout: ImportedRollout): string[] => hopsOf(rollout).map(({ state }) => state);

const first = { query: 'director of Red Fog', hits: [FILM] };

describe('a hop of a gold chain', () => {
  it('is read where its passage came and the policy continued with its content', () => {
    const right = searched(
      [first, { query: 'birth city of Ida Holm', source: 'web', hits: [RAIN, BORN] }],
      'Oslo',
    );
    expect(states(right)).toEqual(['read', 'read']);
    // The second result is the segment behind question, query, result and query.
    expect(hopsOf(right)[1]).toMatchObject({ look: 2, asked: [2], segment: 4 });
  });

  it('is not searched where no query names its subject', () => {
    expect(states(searched([first], 'Ida Holm'))).toEqual(['read', 'not-searched']);
    expect(states(searched([], 'Oslo'))).toEqual(['not-searched', 'not-searched']);
  });

  it('says where the query that named it was refused', () => {
    const refused = searched([first, { query: 'Ida Holm', hits: [], refused: true }], 'Ida Holm');
    expect(hopsOf(refused)[1]).toMatchObject({ state: 'not-searched', refused: true, asked: [] });
  });

  it('is searched in the wrong source where only the other one was asked', () => {
    const local = { query: 'where was Ida Holm born', source: 'local', hits: [STALE] } as const;
    expect(states(searched([first, local], 'Bergen'))[1]).toBe('wrong-source');
    // Both sources are the right one too.
    const both = { ...local, source: 'both' } as const;
    expect(states(searched([first, both], 'Bergen'))[1]).toBe('not-found');
  });

  it('is not found where the right source was asked and did not give it', () => {
    const asked = { query: 'birth city of Ida Holm', source: 'web', hits: [RAIN] } as const;
    expect(states(searched([first, asked, asked], 'Rain'))[1]).toBe('not-found');
    expect(hopsOf(searched([first, asked, asked], 'Rain'))[1]?.asked).toEqual([2, 3]);
  });

  it('is misread where it came and the policy continued with something else', () => {
    const both = { query: 'Ida Holm', source: 'both', hits: [STALE, BORN] } as const;
    expect(hopsOf(searched([first, both], 'Bergen'))[1]).toMatchObject({
      state: 'misread',
      instead: 'Bergen',
      by: 'stale',
    });
    expect(hopsOf(searched([first, both], 'Paris'))[1]).toMatchObject({
      state: 'misread',
      instead: 'Paris',
      by: 'answer',
    });
    // One that stops there may have read it.
    expect(states(searched([first], 'Rome'))).toEqual(['arrived', 'not-searched']);
    const astray = searched([first, { query: 'birth city of Ada Berg', hits: [RAIN] }], 'Rome');
    expect(hopsOf(astray)[0]).toMatchObject({
      state: 'misread',
      instead: 'birth city of Ada Berg',
      by: 'query',
    });
  });

  it('counts as found, and no more, where the question compares what is read', () => {
    const year = (subject: string, object: string, passageId: string) => ({
      subject,
      relation: 'company.foundingYear',
      object,
      title: subject,
      passageId,
      query: `founding year of ${subject}`,
    });
    const chain = [year('Margon', '1999', 'a'), year('Taltan', '1990', 'b')];
    const compared = searched(
      [
        { query: 'Margon', hits: [['a', 'Margon', 'Founded in 1999.']] },
        { query: 'Taltan', hits: [['b', 'Taltan', 'Founded in 1990.']] },
      ],
      'Margon',
      { chain, answers: ['Taltan'] },
    );
    expect(states(compared)).toEqual(['arrived', 'arrived']);
  });
});

describe('without a chain', () => {
  const both = [first, { query: 'birth city of Ida Holm', hits: [RAIN] }];

  it('supporting titles are looked for in the text, and nothing is said of reading', () => {
    const map = hopMap(imported(searched(both, 'Rain')));
    expect(map).toMatchObject({
      kind: 'titles',
      hops: [
        { title: 'Red Fog', state: 'arrived', look: 1 },
        { title: 'Ida Holm', state: 'not-found', asked: [2] },
      ],
    });
  });

  it('the chain of a record without events is followed by title and object', () => {
    const plain = imported(searched([first, { query: 'Ida Holm', hits: [STALE] }], 'Bergen'), {
      chain: searched([], null).question.chain ?? [],
    });
    // The older passage has the title and states something else.
    expect(states(plain)).toEqual(['read', 'not-found']);
  });

  it('a computation has no hop', () => {
    const sum = imported(searched([], '12'), {
      type: 'computation',
      supporting: [],
      answers: ['12'],
    });
    expect(hopMap(sum)).toEqual({
      kind: 'none',
      why: 'the question has all that is needed; nothing has to be looked up',
    });
  });

  it('a file that names neither says so', () => {
    expect(hopMap(imported(searched(both, 'Rain'), { supporting: [] }))).toMatchObject({
      kind: 'none',
      why: expect.stringMatching(/neither a gold chain .* nor supporting titles/),
    });
  });
});

describe('a chain of the second world', () => {
  const rng = new KeyedRandom(7, 3);
  const world = generateMiniWorld(3);
  const drawn = drawQuestion(rng, openScope(world, rng), 'bridge-2')?.question;
  if (!drawn?.chain) throw new Error('the mini world has no bridge question');
  const chain = drawn.chain;
  const passages = new Map([...world.local, ...world.web].map((one) => [one.id, one]));
  const passage = (id: string) => {
    const { title, text } = passages.get(id) ?? { title: '', text: '' };
    return [id, title, text] as const;
  };
  const question = { answers: drawn.answers, supporting: drawn.supporting, chain };
  const gold = chain.map((step) => ({
    query: step.query,
    source: step.source ?? ('both' as const),
    hits: [passage(step.passageId)],
  }));

  it('is read from end to end by its gold queries', () => {
    const said = chain.map(({ object }) => object).join(' , ');
    const steps = [...gold, { think: said, query: 'done', hits: [] }];
    expect(states(searched(steps, drawn.answers[0] ?? '', question))).toEqual(
      chain.map(() => 'read'),
    );
  });

  it('breaks at the hop whose query is left out, or goes to the other source', () => {
    const last = chain.length - 1;
    const cut = searched(gold.slice(0, last), 'nobody', question);
    expect(states(cut)[last]).toBe('not-searched');
    const lies = chain[last]?.source;
    const astray = gold.map((step, i) =>
      i === last
        ? { ...step, source: lies === 'web' ? ('local' as const) : ('web' as const), hits: [] }
        : step,
    );
    expect(states(searched(astray, 'nobody', question))[last]).toBe(
      lies === 'both' ? 'not-found' : 'wrong-source',
    );
  });
});
