/** The kinds of entity, the relations between them, and the words that state and ask for each. */

export const KINDS = [
  'person',
  'film',
  'book',
  'city',
  'country',
  'company',
  'river',
  'award',
  'university',
  'band',
] as const;
export type Kind = (typeof KINDS)[number];
export type ValueKind = 'year' | 'length' | 'currency' | 'language' | 'field' | 'genre';

/** A relation with one object for each subject. */
export interface Relation {
  id: string;
  of: Kind;
  /** Kind of the object. */
  to: Kind | ValueKind;
  /** Canonical noun phrase, used in plans and queries: "director of Silent Harbor". */
  label: string;
  /** Passage of the subject that states it. */
  page: 'main' | 'second';
  /** Noun phrases around a subject `{x}`. */
  nouns: readonly string[];
  /** Questions about a subject `{x}`. */
  asks: readonly string[];
  /** Predicates of a subject, with the object `{o}`; any two can be joined by "and". */
  predicates: readonly string[];
}

/** A relation read backwards: a list of subjects that share an object, on a page of its own. */
export interface ListRelation {
  id: string;
  /** Kind of the entity whose list it is. */
  of: Kind;
  /** The relation that it inverts; its subjects are the items. */
  inverts: string;
  label: string;
  /** Title of the page with `{x}`. */
  title: string;
  query: string;
  /** The first also reads well with one item. */
  sentences: readonly string[];
}

const rel = (
  id: string,
  to: Relation['to'],
  label: string,
  page: Relation['page'],
  nouns: string[],
  asks: string[],
  predicates: string[],
): Relation => ({ id, of: id.split('.')[0] as Kind, to, label, page, nouns, asks, predicates });

export const RELATIONS: readonly Relation[] = [
  rel(
    'film.director',
    'person',
    'director',
    'main',
    ['the director of {x}', 'the person who directed {x}'],
    ['Who directed {x}?', 'Who is the director of {x}?', 'Name the director of {x}.'],
    ['was directed by {o}', 'is a film by {o}', 'had {o} as its director'],
  ),
  rel(
    'film.star',
    'person',
    'star',
    'main',
    ['the star of {x}', 'the lead actor of {x}'],
    ['Who starred in {x}?', 'Who is the star of {x}?', 'Which actor plays the lead in {x}?'],
    ['stars {o}', 'has {o} in the lead', 'features {o} as its star'],
  ),
  rel(
    'film.releaseYear',
    'year',
    'release year',
    'main',
    ['the release year of {x}'],
    [
      'When was {x} released?',
      'In which year did {x} come out?',
      'What is the release year of {x}?',
    ],
    ['was released in {o}', 'came out in {o}', 'opened in {o}'],
  ),
  rel(
    'book.author',
    'person',
    'author',
    'main',
    ['the author of {x}', 'the person who wrote {x}'],
    ['Who wrote {x}?', 'Who is the author of {x}?', 'Name the author of {x}.'],
    ['was written by {o}', 'is a book by {o}', 'has {o} as its author'],
  ),
  rel(
    'book.year',
    'year',
    'publication year',
    'main',
    ['the publication year of {x}'],
    [
      'When was {x} published?',
      'In which year did {x} appear in print?',
      'What is the publication year of {x}?',
    ],
    ['was published in {o}', 'appeared in {o}', 'was first printed in {o}'],
  ),
  rel(
    'person.birthCity',
    'city',
    'birth city',
    'main',
    ['the birth city of {x}', 'the city where {x} was born'],
    ['In which city was {x} born?', 'Where was {x} born?', 'What is the birth city of {x}?'],
    ['was born in {o}', 'comes from {o}', 'is a native of {o}'],
  ),
  rel(
    'person.birthYear',
    'year',
    'birth year',
    'main',
    ['the birth year of {x}'],
    ['When was {x} born?', 'In which year was {x} born?', 'What is the birth year of {x}?'],
    ['was born in {o}', 'was born in the year {o}', 'has been alive since {o}'],
  ),
  rel(
    'person.spouse',
    'person',
    'spouse',
    'main',
    ['the spouse of {x}', 'the person married to {x}'],
    ['Who is married to {x}?', 'Who is the spouse of {x}?', 'Name the spouse of {x}.'],
    ['is married to {o}', 'has {o} as a spouse', 'married {o}'],
  ),
  rel(
    'person.employer',
    'company',
    'employer',
    'second',
    ['the employer of {x}', 'the company that employs {x}'],
    ['For which company does {x} work?', 'Who employs {x}?', 'What is the employer of {x}?'],
    ['works for {o}', 'is employed by {o}', 'has a job at {o}'],
  ),
  rel(
    'person.university',
    'university',
    'university',
    'second',
    ['the university of {x}', 'the university that {x} attended'],
    [
      'Which university did {x} attend?',
      'At which university did {x} study?',
      'What is the university of {x}?',
    ],
    ['studied at {o}', 'attended {o}', 'is a graduate of {o}'],
  ),
  rel(
    'person.award',
    'award',
    'award',
    'second',
    ['the award of {x}', 'the award that {x} won'],
    ['Which award did {x} win?', 'What award did {x} receive?', 'What is the award of {x}?'],
    ['won the {o}', 'received the {o}', 'was honored with the {o}'],
  ),
  rel(
    'city.country',
    'country',
    'country',
    'main',
    ['the country of {x}', 'the country where {x} lies'],
    ['In which country is {x}?', 'In which country does {x} lie?', 'What is the country of {x}?'],
    ['is a city in {o}', 'lies in {o}', 'belongs to {o}'],
  ),
  rel(
    'city.river',
    'river',
    'river',
    'main',
    ['the river of {x}', 'the river that flows through {x}'],
    [
      'Which river flows through {x}?',
      'On which river does {x} stand?',
      'What is the river of {x}?',
    ],
    ['stands on the {o}', 'was built beside the {o}', 'is crossed by the {o}'],
  ),
  rel(
    'country.capital',
    'city',
    'capital',
    'main',
    ['the capital of {x}', 'the capital city of {x}'],
    [
      'What is the capital of {x}?',
      'Which city is the capital of {x}?',
      'Name the capital of {x}.',
    ],
    ['has its capital at {o}', 'is governed from {o}', 'has {o} as its capital'],
  ),
  rel(
    'country.currency',
    'currency',
    'currency',
    'main',
    ['the currency of {x}', 'the money used in {x}'],
    ['What is the currency of {x}?', 'Which currency is used in {x}?', 'Name the currency of {x}.'],
    ['uses the {o} as its currency', 'pays with the {o}', 'has the {o} as its money'],
  ),
  rel(
    'country.language',
    'language',
    'language',
    'main',
    ['the language of {x}', 'the language spoken in {x}'],
    [
      'What is the language of {x}?',
      'Which language is spoken in {x}?',
      'Name the language of {x}.',
    ],
    ['speaks {o}', 'has {o} as its language', 'teaches {o} in its schools'],
  ),
  rel(
    'company.founder',
    'person',
    'founder',
    'main',
    ['the founder of {x}', 'the person who founded {x}'],
    ['Who founded {x}?', 'Who is the founder of {x}?', 'Name the founder of {x}.'],
    ['was founded by {o}', 'is a company started by {o}', 'has {o} as its founder'],
  ),
  rel(
    'company.headquarters',
    'city',
    'headquarters',
    'main',
    ['the headquarters of {x}', 'the city where {x} is based'],
    [
      'In which city is {x} based?',
      'Where are the headquarters of {x}?',
      'Which city is home to the headquarters of {x}?',
    ],
    ['is based in {o}', 'has its headquarters in {o}', 'is run from {o}'],
  ),
  rel(
    'company.foundingYear',
    'year',
    'founding year',
    'main',
    ['the founding year of {x}'],
    [
      'When was {x} founded?',
      'In which year was {x} founded?',
      'What is the founding year of {x}?',
    ],
    ['was founded in {o}', 'was started in {o}', 'opened its doors in {o}'],
  ),
  rel(
    'river.country',
    'country',
    'country',
    'main',
    ['the country of {x}', 'the country that {x} crosses'],
    [
      'Through which country does {x} flow?',
      'In which country is {x}?',
      'What is the country of {x}?',
    ],
    ['flows through {o}', 'is a river in {o}', 'runs across {o}'],
  ),
  rel(
    'river.length',
    'length',
    'length',
    'main',
    ['the length of {x}'],
    [
      'How many kilometers long is {x}?',
      'What is the length of {x}?',
      'How long is {x} in kilometers?',
    ],
    ['is {o} kilometers long', 'has a length of {o} kilometers', 'measures {o} kilometers'],
  ),
  rel(
    'award.field',
    'field',
    'field',
    'main',
    ['the field of {x}'],
    [
      'What is the field of {x}?',
      'In which field is {x} given?',
      'For which field is {x} awarded?',
    ],
    ['is given for {o}', 'honors work in {o}', 'is an award for {o}'],
  ),
  rel(
    'award.firstWinner',
    'person',
    'first winner',
    'main',
    ['the first winner of {x}', 'the person who first won {x}'],
    ['Who first won {x}?', 'Who was the first winner of {x}?', 'Name the first winner of {x}.'],
    ['was first won by {o}', 'went first to {o}', 'had {o} as its first winner'],
  ),
  rel(
    'university.city',
    'city',
    'city',
    'main',
    ['the city of {x}', 'the city that is home to {x}'],
    ['In which city is {x}?', 'Where is {x} located?', 'What is the city of {x}?'],
    ['is a university in {o}', 'is located in {o}', 'has its campus in {o}'],
  ),
  rel(
    'university.foundingYear',
    'year',
    'founding year',
    'main',
    ['the founding year of {x}'],
    [
      'When was {x} founded?',
      'In which year was {x} founded?',
      'What is the founding year of {x}?',
    ],
    ['was founded in {o}', 'has taught since {o}', 'opened its doors in {o}'],
  ),
  rel(
    'band.leader',
    'person',
    'leader',
    'main',
    ['the leader of {x}', 'the person who leads {x}'],
    ['Who leads {x}?', 'Who is the leader of {x}?', 'Name the leader of {x}.'],
    ['is led by {o}', 'has {o} as its leader', 'plays under {o}'],
  ),
  rel(
    'band.city',
    'city',
    'home city',
    'main',
    ['the home city of {x}', 'the city where {x} started'],
    ['From which city is {x}?', 'What is the home city of {x}?', 'In which city did {x} start?'],
    ['started in {o}', 'is a band from {o}', 'has its home in {o}'],
  ),
  rel(
    'band.genre',
    'genre',
    'genre',
    'main',
    ['the genre of {x}', 'the music that {x} plays'],
    ['What is the genre of {x}?', 'Which kind of music does {x} play?', 'Name the genre of {x}.'],
    ['plays {o} music', 'is known for {o} music', 'records {o} songs'],
  ),
];

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

const byId = new Map(RELATIONS.map((r) => [r.id, r]));
const listById = new Map(LIST_RELATIONS.map((r) => [r.id, r]));
const byKind = new Map(KINDS.map((k) => [k, RELATIONS.filter((r) => r.of === k)]));

/** @throws RangeError for an id that is no relation */
export const relation = (id: string): Relation => {
  const found = byId.get(id);
  if (!found) throw new RangeError(`no relation ${id}`);
  return found;
};
export const listRelation = (id: string): ListRelation | undefined => listById.get(id);
export const relationsOf = (kind: Kind): readonly Relation[] => byKind.get(kind) ?? [];
export const isKind = (name: string): name is Kind => byKind.has(name as Kind);

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
