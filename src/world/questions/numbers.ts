import type { KeyedRandom } from '../../base/random.ts';

import { LIST_RELATIONS } from '../schema/joint-relations.ts';
import { allows } from './compositions.ts';
import { fullName } from '../facts/entities.ts';

import { leastGap, twoFacts } from './pairs.ts';
import { withOptions } from './paths.ts';
import { drawn, listStep, lookUp, mention, type Drawn, type Sampler, type Scope } from './scope.ts';

/** Counting, and arithmetic over values: retrieved ones, or those that the question gives. */

const WORDS = ['no', 'one', 'two', 'three', 'four', 'five'];
/** A number as digits, and as a word where it is small. */
const number = (value: number): string[] => [
  String(value),
  ...(value > 0 && value < WORDS.length ? [WORDS[value] ?? ''] : []),
];

const COUNT_ASKS: Readonly<Record<string, readonly string[]>> = {
  'person.filmsDirected': ['How many films did {x} direct?', 'How many films has {x} directed?'],
  'person.filmsStarring': ['In how many films did {x} star?', 'How many films star {x}?'],
  'person.books': ['How many books did {x} write?', 'How many books are by {x}?'],
  'award.winners': ['How many people won {x}?', 'How many winners does {x} have?'],
  'university.alumni': ['How many people studied at {x}?', 'How many alumni does {x} have?'],
};

/** Someone's list, by a random fact on it. */
const drawList = (rng: KeyedRandom, scope: Scope, ids: readonly string[]) => {
  const list = rng.pick(LIST_RELATIONS.filter(({ id }) => ids.includes(id)));
  const of = rng.maybe(scope.world.knowledge.of(list.inverts))?.object.target;
  if (!of || !scope.mayAnchor(of)) return undefined;
  const named = mention(rng, scope, of);
  const read = listStep(scope, list, of, named.known);
  return read && { list, named, read };
};

/** How many items a list has. */
export const count: Sampler = (rng, scope) => {
  const found = drawList(rng, scope, Object.keys(COUNT_ASKS));
  if (scope.filter === 'held-out' || !found) return undefined;
  const { list, named, read } = found;
  return drawn(
    {
      type: 'counting',
      composition: `count(${list.id})`,
      text: rng.pick(COUNT_ASKS[list.id] ?? []).replace('{x}', named.text),
      answers: number(read.items.length),
      chain: [read.step],
    },
    read.items,
  );
};

const DATED: Readonly<Record<string, readonly [relation: string, ask: string]>> = {
  'person.filmsDirected': [
    'film.releaseYear',
    'How many films directed by {x} were released before {y}?',
  ],
  'person.filmsStarring': ['film.releaseYear', 'How many films with {x} came out before {y}?'],
  'person.books': ['book.year', 'How many books by {x} were published before {y}?'],
  'award.winners': ['person.birthYear', 'How many winners of {x} were born before {y}?'],
  'university.alumni': ['person.birthYear', 'How many alumni of {x} were born before {y}?'],
};

/** How many items of a list came before a year: each of them is looked up. */
export const countBefore: Sampler = (rng, scope) => {
  const found = drawList(rng, scope, Object.keys(DATED));
  if (scope.filter === 'held-out' || !found || found.read.items.length < 2) return undefined;
  const { list, named, read } = found;
  const [id = '', ask = ''] = DATED[list.id] ?? [];
  const dated = read.items.flatMap(({ subject }) => scope.world.knowledge.fact(subject, id) ?? []);
  if (dated.length < read.items.length || !dated.every(scope.mayUse)) return undefined;
  const years = dated.map((f) => Number(f.object.text));
  const year = 5 * Math.round(rng.between(Math.min(...years), Math.max(...years) + 10) / 5);
  // A year that an item has itself would ask what "before" means.
  if (years.includes(year)) return undefined;
  return drawn(
    {
      type: 'counting',
      composition: `count(${list.id},${id})`,
      text: ask.replace('{x}', named.text).replace('{y}', String(year)),
      answers: number(years.filter((y) => y < year).length),
      chain: [read.step, ...dated.map((f) => lookUp(scope, f, fullName(f.subject)))],
    },
    [...read.items, ...dated],
  );
};

const DIFFERENCES: Readonly<Record<string, string>> = {
  'film.releaseYear': 'How many years lie between the release of {a} and that of {b}?',
  'book.year': 'How many years lie between the publication of {a} and that of {b}?',
  'person.birthYear': 'How many years lie between the birth of {a} and that of {b}?',
  'company.foundingYear': 'How many years lie between the founding of {a} and that of {b}?',
  'university.foundingYear': 'How many years lie between the founding of {a} and that of {b}?',
};
const SUMS: Readonly<Record<string, string>> = {
  'river.length': 'How many kilometers long are {a} and {b} together?',
  'city.population': 'How many people live in {a} and {b} together?',
  'company.staff': 'How many people do {a} and {b} employ together?',
  'university.students': 'How many people study at {a} and {b} together?',
};

/** The difference or the sum of one value of two. */
export const arithmetic: Sampler = (rng, scope) => {
  const sum = rng.chance(0.5);
  const asks = sum ? SUMS : DIFFERENCES;
  const id = rng.pick(Object.keys(asks));
  const pair = twoFacts(rng, scope, id);
  if (scope.filter === 'held-out' || !pair) return undefined;
  const [x = 0, y = 0] = pair.map((f) => Number(f.object.text));
  if (Math.abs(x - y) < leastGap(id)) return undefined;
  const [a, b] = pair;
  const [one, two] = [mention(rng, scope, a.subject), mention(rng, scope, b.subject)];
  return drawn(
    {
      type: 'arithmetic',
      composition: `${sum ? 'sum' : 'difference'}(${id})`,
      text: (asks[id] ?? '').replace('{a}', one.text).replace('{b}', two.text),
      answers: [String(sum ? x + y : Math.abs(x - y))],
      chain: [lookUp(scope, a, one.known), lookUp(scope, b, two.known)],
    },
    pair,
  );
};

/** A thing, the year of it, and who stands after it. */
const AGES = [
  {
    year: 'film.releaseYear',
    by: 'film.director',
    ask: 'How many years after the birth of its director was {x} released?',
  },
  {
    year: 'film.releaseYear',
    by: 'film.star',
    ask: 'How many years lie between the birth of the star of {x} and its release?',
  },
  {
    year: 'book.year',
    by: 'book.author',
    ask: 'How many years after the birth of its author was {x} published?',
  },
  {
    year: 'company.foundingYear',
    by: 'company.founder',
    ask: 'How many years after the birth of its founder was {x} founded?',
  },
] as const;

/** The difference between a year and the birth year of a person that has to be found first. */
export const age: Sampler = (rng, scope) => {
  const { knowledge } = scope.world;
  const { year, by, ask } = rng.pick(AGES);
  const made = rng.maybe(knowledge.of(year));
  const person = made && knowledge.fact(made.subject, by);
  const born = person?.object.target && knowledge.fact(person.object.target, 'person.birthYear');
  if (!made || !person || !born || !scope.mayAnchor(made.subject)) return undefined;
  const uses = [made, person, born];
  const composition = `difference(${year},${by}>person.birthYear)`;
  if (!uses.every(scope.mayUse) || !allows(scope.filter, composition)) return undefined;
  const { text, known } = mention(rng, scope, made.subject);
  return drawn(
    {
      type: 'arithmetic',
      composition,
      text: ask.replace('{x}', text),
      answers: [String(Math.abs(Number(made.object.text) - Number(born.object.text)))],
      chain: [
        lookUp(scope, made, known),
        lookUp(scope, person, known),
        lookUp(scope, born, person.object.text),
      ],
    },
    uses,
  );
};

/** Questions that their own words answer: nothing needs to be retrieved. */
const COMPUTATIONS: readonly ((rng: KeyedRandom) => {
  name: string;
  text: string;
  answers: string[];
})[] = [
  (rng) => {
    const [year, later] = [rng.between(1900, 1990), rng.between(3, 29)];
    const text = `A film came out in ${year} and its sequel ${later} years later. In which year did the sequel come out?`;
    return { name: 'sum', text, answers: [String(year + later)] };
  },
  (rng) => {
    const [a, gap] = [rng.between(1900, 1990), rng.between(3, 29)];
    const text = `A company was founded in ${a} and sold in ${a + gap}. How many years lie between?`;
    return { name: 'difference', text, answers: number(gap) };
  },
  (rng) => {
    const [a, b] = [rng.between(1, 9) * 1000, rng.between(1, 9) * 100];
    const text = `One town has ${a} people and another has ${b}. How many people live in both together?`;
    return { name: 'total', text, answers: [String(a + b)] };
  },
  (rng) => {
    const [a, gap] = [rng.between(1900, 1980), rng.between(3, 29)];
    const [first, second] = rng.shuffle([a, a + gap]);
    const word = rng.pick(['earlier', 'later']);
    const text = `Which year is ${word}, ${first} or ${second}?`;
    return { name: 'order', text, answers: [String(word === 'earlier' ? a : a + gap)] };
  },
  (rng) => {
    const [a, b] = [rng.between(11, 89), rng.between(3, 9)];
    const options = rng.shuffle([a + b, a + b + 1, a + b - 2, a + b + 10].map(String));
    const right = String(a + b);
    const text = withOptions(`Which of these is ${a} plus ${b}?`, options);
    return { name: 'options', text, answers: [right], options };
  },
];

export const computation: Sampler = (rng, scope): Drawn | undefined => {
  if (scope.filter === 'held-out') return undefined;
  const { name, ...question } = rng.pick(COMPUTATIONS)(rng);
  const composition = `compute(${name})`;
  return drawn({ type: 'computation', composition, chain: [], needs: 'nothing', ...question }, []);
};
