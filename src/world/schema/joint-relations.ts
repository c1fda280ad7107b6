import type { ListRelation } from './kinds.ts';

/** What is stated of several facts at once: all objects of a relation, or two relations of one subject. */

export const LIST_RELATIONS: readonly ListRelation[] = [
  {
    id: 'person.filmsDirected',
    of: 'person',
    inverts: 'film.director',
    label: 'films directed by',
    title: 'Films directed by {x}',
    query: 'films directed by {x}',
    sentences: [
      '{x} directed {list}.',
      'The films directed by {x} are {list}.',
      'As a director, {x} made {list}.',
    ],
  },
  {
    id: 'person.filmsStarring',
    of: 'person',
    inverts: 'film.star',
    label: 'films starring',
    title: 'Films starring {x}',
    query: 'films starring {x}',
    sentences: [
      '{x} starred in {list}.',
      'The films starring {x} are {list}.',
      'As an actor, {x} was the star of {list}.',
    ],
  },
  {
    id: 'person.books',
    of: 'person',
    inverts: 'book.author',
    label: 'books by',
    title: 'Books by {x}',
    query: 'books by {x}',
    sentences: [
      '{x} wrote {list}.',
      'The books by {x} are {list}.',
      'As an author, {x} published {list}.',
    ],
  },
  {
    id: 'award.winners',
    of: 'award',
    inverts: 'person.award',
    label: 'winners of',
    title: 'Winners of {x}',
    query: 'winners of {x}',
    sentences: [
      'The {x} was won by {list}.',
      'The winners of {x} are {list}.',
      'Those who received the {x} are {list}.',
    ],
  },
  {
    id: 'university.alumni',
    of: 'university',
    inverts: 'person.university',
    label: 'alumni of',
    title: 'Alumni of {x}',
    query: 'alumni of {x}',
    sentences: [
      '{list} studied at {x}.',
      'The alumni of {x} are {list}.',
      'Among those who attended {x} are {list}.',
    ],
  },
];

/** Sentences that state two relations at once; `{0}` and `{1}` are the objects. */
export const PAIRS: readonly { of: readonly [string, string]; predicates: readonly string[] }[] = [
  {
    of: ['person.birthCity', 'person.birthYear'],
    predicates: ['was born in {0} in {1}', 'was born in {1} in {0}'],
  },
  {
    of: ['film.releaseYear', 'film.director'],
    predicates: ['is a {0} film directed by {1}', 'is a film made by {1} in {0}'],
  },
  {
    of: ['book.year', 'book.author'],
    predicates: ['is a {0} book by {1}', 'was written by {1} in {0}'],
  },
  {
    of: ['company.founder', 'company.foundingYear'],
    predicates: ['was founded by {0} in {1}', 'was started in {1} by {0}'],
  },
  {
    of: ['river.country', 'river.length'],
    predicates: ['flows through {0} for {1} kilometers', 'is a {1} kilometers long river in {0}'],
  },
  {
    of: ['university.city', 'university.foundingYear'],
    predicates: ['was founded in {0} in {1}', 'opened in {0} in {1}'],
  },
  {
    of: ['band.leader', 'band.city'],
    predicates: ['is a band from {1} led by {0}', 'was formed in {1} by its leader {0}'],
  },
];
