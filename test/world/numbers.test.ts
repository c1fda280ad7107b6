import { describe, expect, it } from 'vitest';
import { KeyedRandom } from '../../src/base/random.ts';
import type { Passage } from '../../src/records/records.ts';
import { LIST_RELATIONS } from '../../src/world/schema/joint-relations.ts';
import type { Entity } from '../../src/world/facts/entities.ts';
import type { Fact } from '../../src/world/facts/facts.ts';
import { Knowledge } from '../../src/world/facts/knowledge.ts';
import type { Encyclopedia } from '../../src/world/pages/encyclopedia.ts';
import type { Page } from '../../src/world/pages/pages.ts';
import { age, arithmetic, count, countBefore } from '../../src/world/questions/numbers.ts';
import type { Drawn, Sampler, Scope } from '../../src/world/questions/scope.ts';

/** Two directors, three films of one of them, two rivers: everything written by hand. */
const entity = (kind: Entity['kind'], name: string): Entity => ({
  id: `${kind}-${name}`,
  kind,
  name,
  pronoun: 'It',
});
const ada = entity('person', 'Ada Karsin');
const bruno = entity('person', 'Bruno Velben');
const films = ['Silent Harbor', 'Golden River', 'Paper Moon'].map((name) => entity('film', name));
const rivers = ['Karna River', 'Velga River'].map((name) => entity('river', name));
const fact = (subject: Entity, relation: string, object: string | Entity): Fact => ({
  subject,
  relation,
  object: typeof object === 'string' ? { text: object } : { text: object.name, target: object },
});
const facts: Fact[] = [
  fact(ada, 'person.birthYear', '1931'),
  fact(bruno, 'person.birthYear', '1948'),
  ...films.map((film) => fact(film, 'film.director', ada)),
  ...films.map((film, i) => fact(film, 'film.releaseYear', ['1958', '1961', '1979'][i] ?? '')),
  ...rivers.map((river, i) => fact(river, 'river.length', ['1200', '3450'][i] ?? '')),
];
const directed = LIST_RELATIONS.find((list) => list.id === 'person.filmsDirected');
if (!directed) throw new Error('no such list');
const page = (title: string, some: Fact[], more: Partial<Page> = {}): Page => ({
  title,
  sort: 'main',
  facts: some,
  see: [],
  tellsAlias: false,
  where: 'local',
  ...more,
});
const pages = facts.map((f) => page(`${f.relation} ${f.subject.name}`, [f]));
const list = page(
  'Films directed by Ada Karsin',
  facts.filter((f) => f.relation === 'film.director'),
  { sort: 'list', list: directed, about: ada },
);
const world: Encyclopedia = {
  entities: [ada, bruno, ...films, ...rivers],
  knowledge: new Knowledge([ada, bruno, ...films, ...rivers], facts),
  unstated: [],
  pages: [...pages, list],
  local: [],
  web: [],
  homeOf: (f) => {
    const home = pages.find((p) => p.facts.includes(f));
    if (!home) throw new Error('no home');
    return home;
  },
  listPage: (_, of) => (of === ada ? list : undefined),
  placed: (p): { local: Passage } => ({
    local: { id: `local-${p.title}`, title: p.title, text: '', sentences: [] },
  }),
  doubts: () => [],
};
const scope: Scope = {
  world,
  filter: 'any',
  mayAnchor: () => true,
  mayUse: () => true,
  wanted: 'yes',
};
/** Every different question that many draws give, by its text without the article of a kind. */
const drawAll = (sampler: Sampler): Map<string, Drawn['question']> => {
  const out = new Map<string, Drawn['question']>();
  for (let seed = 0; seed < 3000; seed++) {
    const question = sampler(new KeyedRandom(seed), scope)?.question;
    if (question) out.set(question.text.replaceAll('the film ', ''), question);
  }
  return out;
};

describe('counting', () => {
  it('counts the items of a list', () => {
    const questions = drawAll(count);
    const asked = questions.get('How many films did Ada Karsin direct?');
    expect(asked).toMatchObject({ answers: ['3', 'three'], hops: 1, type: 'counting' });
    expect(asked?.chain?.[0]?.object).toBe('Silent Harbor, Golden River, Paper Moon');
  });

  it('counts those before a year, each looked up', () => {
    const questions = drawAll(countBefore);
    const before = (year: number) =>
      questions.get(`How many films directed by Ada Karsin were released before ${year}?`)
        ?.answers[0];
    // 1958, 1961 and 1979.
    expect(before(1960)).toBe('1');
    expect(before(1965)).toBe('2');
    expect(before(1975)).toBe('2');
    expect(before(1980)).toBe('3');
    const one = [...questions.values()][0];
    expect(one?.hops).toBe(4);
    expect(one?.chain?.map((s) => s.object)).toEqual([
      'Silent Harbor, Golden River, Paper Moon',
      '1958',
      '1961',
      '1979',
    ]);
  });
});

describe('arithmetic over retrieved values', () => {
  const questions = drawAll(arithmetic);

  it('takes differences of years', () => {
    const between = (a: string, b: string) =>
      questions.get(`How many years lie between the release of ${a} and that of ${b}?`)?.answers;
    expect(between('Silent Harbor', 'Golden River')).toEqual(['3']);
    expect(between('Paper Moon', 'Silent Harbor')).toEqual(['21']);
    const born = 'How many years lie between the birth of Ada Karsin and that of Bruno Velben?';
    expect(questions.get(born)).toMatchObject({ answers: ['17'], hops: 2, type: 'arithmetic' });
  });

  it('adds lengths', () => {
    const both = 'How many kilometers long are the Karna River and the Velga River together?';
    expect(questions.get(both)).toMatchObject({
      answers: ['4650'],
      composition: 'sum(river.length)',
    });
  });

  it('subtracts the birth year of whoever stands behind a thing', () => {
    const ages = drawAll(age);
    const ask = 'How many years after the birth of its director was Paper Moon released?';
    expect(ages.get(ask)).toMatchObject({ answers: ['48'], hops: 3 });
    expect(ages.get(ask)?.chain?.map((s) => s.object)).toEqual(['1979', 'Ada Karsin', '1931']);
  });
});
