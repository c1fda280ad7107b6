import { describe, expect, it } from 'vitest';
import type { ChainStep, QuestionType } from '../../../src/records/records.ts';
import { planOf } from '../../../src/world/trajectories/plan.ts';

const step = (subject: string, relation: string, object: string, query: string): ChainStep => ({
  subject,
  relation,
  object,
  title: subject,
  passageId: 'local-0',
  query,
});
const thoughts = (type: QuestionType, text: string, answer: string, chain: ChainStep[]) => {
  const plan = planOf({ text, answers: [answer], supporting: [], type, chain });
  return [
    plan.plan,
    ...plan.steps.map((s) =>
      [s.found(s.chain.object.split(', ')), s.conclusion?.text].filter((t) => t).join(' . '),
    ),
  ];
};

describe('a plan', () => {
  it('names the relations of a path and nothing else', () => {
    const chain = [
      step('Red Fox', 'film.director', 'Ada Karsin', 'director of Red Fox'),
      step('Ada Karsin', 'person.birthCity', 'Karnost', 'birth city of Ada Karsin'),
    ];
    expect(thoughts('bridge', 'Where was the director of Red Fox born?', 'Karnost', chain)).toEqual(
      ['plan : director , birth city', 'director is Ada Karsin', 'birth city is Karnost'],
    );
    const { steps } = planOf({ text: '', answers: ['Karnost'], supporting: [], chain });
    expect(steps.map((s) => [s.query, ...s.otherQueries])).toEqual([
      ['director of Red Fox', 'Red Fox director', 'Red Fox'],
      ['birth city of Ada Karsin', 'Ada Karsin birth city', 'Ada Karsin'],
    ]);
  });

  it('puts compared values beside each other before the verdict', () => {
    const chain = [
      step('Red Fox', 'film.releaseYear', '1931', 'release year of Red Fox'),
      step('Old Road', 'film.releaseYear', '1942', 'release year of Old Road'),
    ];
    const text = 'Which film was released earlier, Red Fox or Old Road?';
    expect(thoughts('comparison', text, 'Red Fox', chain)).toEqual([
      'plan : release year of Red Fox , release year of Old Road , earlier',
      'release year of Red Fox is 1931',
      'release year of Old Road is 1942 . Red Fox 1931 , Old Road 1942 . earlier is Red Fox',
    ]);
  });

  it('compares the things, or the people behind them, as the question asks', () => {
    const chain = [
      step('Red Fox', 'film.star', 'Ada Karsin', 'star of Red Fox'),
      step('Old Road', 'film.star', 'Ivo Velric', 'star of Old Road'),
      step('Ada Karsin', 'person.birthYear', '1901', 'birth year of Ada Karsin'),
      step('Ivo Velric', 'person.birthYear', '1950', 'birth year of Ivo Velric'),
    ];
    const things = thoughts('comparison', 'Whose star was born later?', 'Old Road', chain);
    expect(things[0]).toBe('plan : star of Red Fox , star of Old Road , birth year , later');
    expect(things[4]).toMatch(/ \. Red Fox 1901 , Old Road 1950 \. later is Old Road$/);
    const people = thoughts('comparison', 'Which star was born earlier?', 'Ada Karsin', chain);
    expect(people[4]).toMatch(/ \. Ada Karsin 1901 , Ivo Velric 1950 \. earlier is Ada Karsin$/);
  });

  it('finds the common item before it goes on', () => {
    const chain = [
      step('Ada', 'person.filmsDirected', 'Red Fox, Old Road', 'films directed by Ada'),
      step('Ivo', 'person.filmsStarring', 'Wild Sun, Old Road', 'films starring Ivo'),
      step('Old Road', 'film.releaseYear', '1942', 'release year of Old Road'),
    ];
    expect(thoughts('intersection', 'When …?', '1942', chain)).toEqual([
      'plan : films directed by Ada , films starring Ivo , common , release year',
      'films directed by Ada are Red Fox , Old Road',
      'films starring Ivo are Wild Sun , Old Road . common is Old Road',
      'release year is 1942',
    ]);
  });

  it('ends a yes-or-no question with its verdict', () => {
    const chain = [
      step('Karnost', 'city.river', 'Velga River', 'river of Karnost'),
      step('Tamdale', 'city.river', 'Orbna River', 'river of Tamdale'),
    ];
    expect(thoughts('yesno', 'Do …?', 'no', chain).at(-1)).toBe(
      'river of Tamdale is Orbna River . same is no',
    );
  });

  it('needs a chain', () => {
    expect(() => planOf({ text: 'Who?', answers: ['x'], supporting: [] })).toThrow('gold chain');
  });
});
