import type { KeyedRandom } from '../../base/random.ts';
import { allows } from './compositions.ts';
import { fullName, type Entity } from '../facts/entities.ts';
import type { Fact } from '../facts/facts.ts';
import { listRelation, relation, relationsOf } from '../schema/schema.ts';
import { pathName } from './paths.ts';
import {
  answersFor,
  drawn,
  listStep,
  lookUp,
  mention,
  sameObject,
  type Sampler,
  type Scope,
} from './scope.ts';

/** Two facts of one relation whose subjects may both be asked about. */
export const twoFacts = (
  rng: KeyedRandom,
  scope: Scope,
  relationId: string,
): readonly [Fact, Fact] | undefined => {
  const [a, b] = [0, 1].map(() => rng.maybe(scope.world.knowledge.of(relationId)));
  if (!a || !b || a.subject === b.subject) return undefined;
  const fine = [a, b].every((f) => scope.mayAnchor(f.subject) && scope.mayUse(f));
  return fine ? [a, b] : undefined;
};

const fill = (text: string, slots: Readonly<Record<string, string>>): string =>
  text.replace(/\{(\w)\}/g, (_, slot: string) => slots[slot] ?? '');

const COMPARED: Readonly<Record<string, readonly string[]>> = {
  'film.releaseYear': [
    'Which film was released {w}, {a} or {b}?',
    'Of the films {a} and {b}, which came out {w}?',
  ],
  'book.year': [
    'Which book was published {w}, {a} or {b}?',
    'Of the books {a} and {b}, which appeared {w}?',
  ],
  'person.birthYear': ['Who was born {w}, {a} or {b}?', 'Of {a} and {b}, who was born {w}?'],
  'company.foundingYear': ['Which company was founded {w}, {a} or {b}?'],
  'university.foundingYear': ['Which university was founded {w}, {a} or {b}?'],
  'band.foundingYear': ['Which band was founded {w}, {a} or {b}?'],
  'river.length': ['Which river is {w}, {a} or {b}?', 'Of {a} and {b}, which is {w}?'],
  'city.population': ['Which city has {w} people, {a} or {b}?'],
  'company.staff': ['Which company employs {w} people, {a} or {b}?'],
  'university.students': ['Which university has {w} students, {a} or {b}?'],
};
/** Values closer than this are not compared: years, and what is counted. */
export const leastGap = (relationId: string): number =>
  relation(relationId).to === 'year' ? 3 : 100;

const comparatives = (relationId: string): readonly [string, string] => {
  const { to } = relation(relationId);
  if (to === 'length') return ['shorter', 'longer'];
  return to === 'count' ? ['fewer', 'more'] : ['earlier', 'later'];
};

const valueOf = (fact: Fact): number => Number(fact.object.text);

/** Which of two has the lower or higher value. */
export const comparison: Sampler = (rng, scope) => {
  const id = rng.pick(Object.keys(COMPARED));
  const pair = twoFacts(rng, scope, id);
  if (scope.filter === 'held-out' || !pair) return undefined;
  const [a, b] = pair;
  if (Math.abs(valueOf(a) - valueOf(b)) < leastGap(id)) return undefined;
  const lowest = rng.chance(0.5);
  const winner = valueOf(a) < valueOf(b) === lowest ? a : b;
  const [first, second] = [mention(rng, scope, a.subject), mention(rng, scope, b.subject)];
  const w = comparatives(id)[lowest ? 0 : 1];
  return drawn(
    {
      type: 'comparison',
      composition: `compare(${id})`,
      text: fill(rng.pick(COMPARED[id] ?? []), { w, a: first.text, b: second.text }),
      answers: answersFor({ text: (winner === a ? first : second).known, target: winner.subject }),
      chain: [lookUp(scope, a, first.known), lookUp(scope, b, second.known)],
    },
    pair,
  );
};

const DEEP = ['film.director', 'film.star', 'book.author', 'company.founder', 'band.leader'];
const DEEP_ASKS = [
  'Which {k} has the {l} who was born {w}, {a} or {b}?',
  'Of the {l} of {a} and the {l} of {b}, who was born {w}?',
];

/** Four look-ups: the people behind two things, then their birth years. */
export const deepComparison: Sampler = (rng, scope) => {
  const { knowledge } = scope.world;
  const id = rng.pick(DEEP);
  const pair = twoFacts(rng, scope, id);
  if (!pair || sameObject(pair[0].object, pair[1].object)) return undefined;
  const born = pair.map(
    (f) => f.object.target && knowledge.fact(f.object.target, 'person.birthYear'),
  );
  const [c, d] = born;
  if (!c || !d || !scope.mayUse(c) || !scope.mayUse(d)) return undefined;
  const composition = `compare(${pathName([pair[0], c])})`;
  if (!allows(scope.filter, composition)) return undefined;
  if (Math.abs(valueOf(c) - valueOf(d)) < leastGap('person.birthYear')) return undefined;
  const [a, b] = pair;
  const lowest = rng.chance(0.5);
  const first = valueOf(c) < valueOf(d) === lowest;
  const [one, two] = [mention(rng, scope, a.subject), mention(rng, scope, b.subject)];
  const [text, byThing] = rng.pick(DEEP_ASKS.map((ask, i) => [ask, i === 0] as const));
  const { label, of } = relation(id);
  const thing = { text: (first ? one : two).known, target: (first ? a : b).subject };
  return drawn(
    {
      type: 'comparison',
      composition,
      text: fill(text, {
        k: of,
        l: label,
        w: lowest ? 'earlier' : 'later',
        a: one.text,
        b: two.text,
      }),
      answers: answersFor(byThing ? thing : (first ? a : b).object),
      chain: [
        lookUp(scope, a, one.known),
        lookUp(scope, b, two.known),
        lookUp(scope, c, a.object.text),
        lookUp(scope, d, b.object.text),
      ],
    },
    [a, b, c, d],
  );
};

const SAME = [
  'person.birthCity',
  'person.university',
  'person.employer',
  'person.award',
  'film.director',
  'film.star',
  'film.studio',
  'book.author',
  'book.publisher',
  'city.country',
  'city.river',
  'river.country',
  'company.headquarters',
  'university.city',
  'country.language',
  'country.currency',
  'band.genre',
  'award.field',
];
const SAME_ASKS = [
  'Do {a} and {b} have the same {l}?',
  'Is the {l} of {a} the same as the {l} of {b}?',
  'Do {a} and {b} share one {l}?',
];

/** Whether two share an object. */
export const same: Sampler = (rng, scope) => {
  const a = rng.maybe(scope.world.knowledge.of(rng.pick(SAME)));
  if (scope.filter === 'held-out' || !a) return undefined;
  const { knowledge } = scope.world;
  const yes = scope.wanted === 'yes';
  const b = rng.maybe(yes ? knowledge.sharing(a) : knowledge.of(a.relation));
  if (!b || b.subject === a.subject || sameObject(a.object, b.object) !== yes) return undefined;
  if (![a, b].every((f) => scope.mayAnchor(f.subject) && scope.mayUse(f))) return undefined;
  const [one, two] = [mention(rng, scope, a.subject), mention(rng, scope, b.subject)];
  return drawn(
    {
      type: 'yesno',
      composition: `same(${a.relation})`,
      text: fill(rng.pick(SAME_ASKS), {
        l: relation(a.relation).label,
        a: one.text,
        b: two.text,
      }),
      answers: [scope.wanted],
      chain: [lookUp(scope, a, one.known), lookUp(scope, b, two.known)],
    },
    [a, b],
  );
};

/** Whether a value is the right one; a wrong one is what some passage states, where one does. */
export const claim: Sampler = (rng, scope) => {
  const fact = rng.maybe(scope.world.knowledge.facts);
  if (scope.filter === 'held-out' || !fact || !scope.mayUse(fact)) return undefined;
  if (!scope.mayAnchor(fact.subject)) return undefined;
  const { text, known } = mention(rng, scope, fact.subject);
  const step = lookUp(scope, fact, known);
  const other = rng.maybe(scope.world.knowledge.of(fact.relation))?.object;
  const rival = rng.maybe(step.rivals ?? [])?.object;
  const wrong = rival ?? (other && !sameObject(other, fact.object) ? other.text : undefined);
  const claimed = scope.wanted === 'yes' ? fact.object.text : wrong;
  if (claimed === undefined) return undefined;
  return drawn(
    {
      type: 'yesno',
      composition: `claim(${fact.relation})`,
      text: `Is ${claimed} the ${relation(fact.relation).label} of ${text}?`,
      answers: [scope.wanted],
      chain: [step],
    },
    [fact],
  );
};

const INTERSECTIONS = [
  {
    lists: ['person.filmsDirected', 'person.filmsStarring'],
    asks: [
      'Which film directed by {a} stars {b}?',
      'Which film did {a} direct with {b} as its star?',
      'Name the film by director {a} that features {b}.',
    ],
    noun: 'the film directed by {a} and starring {b}',
  },
  {
    lists: ['award.winners', 'university.alumni'],
    asks: [
      'Who won {a} and studied at {b}?',
      'Which person attended {b} and received {a}?',
      'Name the graduate of {b} who won {a}.',
    ],
    noun: 'the winner of {a} who studied at {b}',
  },
] as const;

/** The one item on two lists; with three hops, a property of that item. */
export const intersection =
  (hops: 2 | 3): Sampler =>
  (rng, scope) => {
    const { knowledge } = scope.world;
    const form = rng.pick(INTERSECTIONS);
    const [first, second] = form.lists.map(listRelation);
    const item = first && rng.maybe(knowledge.of(first.inverts))?.subject;
    const a = item && knowledge.fact(item, first.inverts)?.object.target;
    const b = item && second && knowledge.fact(item, second.inverts)?.object.target;
    if (!first || !second || !item || !a || !b || a === b) return undefined;
    if (!scope.mayAnchor(a) || !scope.mayAnchor(b)) return undefined;
    const [one, two] = [mention(rng, scope, a), mention(rng, scope, b)];
    const [listA, listB] = [
      listStep(scope, first, a, one.known),
      listStep(scope, second, b, two.known),
    ];
    if (!listA || !listB || commonOf(listA.items, listB.items).length !== 1) return undefined;
    const chain = [listA.step, listB.step];
    const uses = [...listA.items, ...listB.items];
    const common = `common(${first.id},${second.id})`;
    const slots = { a: one.text, b: two.text };
    if (hops === 2) {
      if (scope.filter === 'held-out') return undefined;
      const text = fill(rng.pick(form.asks), slots);
      const answers = answersFor({ text: item.name, target: item });
      return drawn({ type: 'intersection', composition: common, text, answers, chain }, uses);
    }
    const given = [first.inverts, second.inverts];
    const next = rng.pick(relationsOf(item.kind).filter((r) => !given.includes(r.id)));
    const fact = knowledge.fact(item, next.id);
    const composition = `${common}>${next.id}`;
    if (!fact || !scope.mayUse(fact) || !allows(scope.filter, composition)) return undefined;
    return drawn(
      {
        type: 'intersection',
        composition,
        text: rng.pick(next.asks).replace('{x}', fill(form.noun, slots)),
        answers: answersFor(fact.object),
        chain: [...chain, lookUp(scope, fact, fullName(item))],
      },
      [...uses, fact],
    );
  };

const commonOf = (a: readonly Fact[], b: readonly Fact[]): Entity[] =>
  a.map((f) => f.subject).filter((item) => b.some((f) => f.subject === item));
