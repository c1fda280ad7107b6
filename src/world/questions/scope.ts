import type { ChainStep, Question, Rival } from '../../records/records.ts';
import type { KeyedRandom } from '../../base/random.ts';
import type { CompositionFilter } from './compositions.ts';
import type { ListRelation } from '../schema/kinds.ts';
import { fullName, type Entity } from '../facts/entities.ts';
import type { Fact, Stated } from '../facts/facts.ts';
import type { Encyclopedia } from '../pages/encyclopedia.ts';
import type { Page } from '../pages/pages.ts';
import { itemsIn } from '../pages/write.ts';
import { relation } from '../schema/schema.ts';

/** What a sampler may ask about. */
export interface Scope {
  world: Encyclopedia;
  filter: CompositionFilter;
  /** Whether questions may start from this entity. */
  mayAnchor: (entity: Entity) => boolean;
  /** Whether chains may use this fact. */
  mayUse: (fact: Fact) => boolean;
  /** What a question of yes or no is to be answered with, so that they balance. */
  wanted: 'yes' | 'no';
}

type Draft = Omit<Question, 'id'>;
/** A question and the facts that its answer rests on. */
export interface Drawn {
  question: Draft;
  uses: readonly Fact[];
}
export type Sampler = (rng: KeyedRandom, scope: Scope) => Drawn | undefined;

/** How a question names an entity, and by which name per query then asks for it. */
export interface Mention {
  text: string;
  known: string;
}

/** How often a question knows an entity by its other name. */
const BY_ALIAS = 0.36;

export const mention = (rng: KeyedRandom, { world }: Scope, e: Entity): Mention => {
  if (e.alias !== undefined && rng.chance(BY_ALIAS)) return { text: e.alias, known: e.alias };
  return plainMention(rng, world, e);
};

/** By its own name; titles that a film and a book share come with their kind. */
export const plainMention = (rng: KeyedRandom, world: Encyclopedia, e: Entity): Mention => {
  const known = fullName(e);
  if (e.kind === 'river' || e.kind === 'award') return { text: `the ${known}`, known };
  const titled = e.kind === 'film' || e.kind === 'book';
  const kind = titled && (world.knowledge.sharesTitle(e) || rng.chance(0.3));
  return { text: kind ? `the ${e.kind} ${known}` : known, known };
};

/** Every way in which an answer may name what was stated, the stated way first. */
export const answersFor = ({ text, target }: Stated): string[] => [
  ...new Set([text, ...(target ? [fullName(target), target.name, target.alias ?? text] : [])]),
];

/** Whether two facts lead to one thing, whatever passages call it. */
export const sameObject = (a: Stated, b: Stated): boolean =>
  a.target || b.target ? a.target === b.target : a.text === b.text;

/** Where the current state of a page stands; the local passage first. */
const clean = (
  world: Encyclopedia,
  page: Page,
): Pick<Required<ChainStep>, 'title' | 'passageId' | 'passageIds' | 'source'> => {
  const { local, web } = world.placed(page);
  const passages = [local, web].flatMap((p) => p ?? []);
  const [first] = passages;
  if (!first) throw new Error(`the page ${page.title} lies nowhere`);
  const source = local && web ? 'both' : local ? 'local' : 'web';
  return { title: page.title, passageId: first.id, passageIds: passages.map((p) => p.id), source };
};

/** The step of a gold chain that reads a fact. @param known the name by which its subject is known so far */
export const lookUp = (scope: Scope, fact: Fact, known: string): ChainStep => {
  const { world } = scope;
  const page = world.homeOf(fact);
  const { label } = relation(fact.relation);
  const rivals = rivalsOf(world, fact, page);
  return {
    subject: fullName(fact.subject),
    relation: fact.relation,
    object: fact.object.text,
    ...clean(world, page),
    query: `${label} of ${known}`,
    betterQuery: betterQuery(page, fact, known),
    ...(page.dates && relation(fact.relation).changes && { date: page.dates.current }),
    ...(rivals.length > 0 && { rivals }),
  };
};

/**
 * A name that the first results make known: the own name for an alias, the title of a brief page that
 * the entity's page points to. Else the title of the page that such values are on, without the rest.
 */
const betterQuery = (page: Page, fact: Fact, known: string): string => {
  const name = fullName(fact.subject);
  const { label } = relation(fact.relation);
  if (page.sort === 'brief') return `${page.title} ${name}`;
  if (known !== name) return `${label} of ${name}`;
  const qualifier = fact.subject.qualifier === undefined ? '' : ` ${fact.subject.qualifier}`;
  return page.sort === 'second' ? `${page.title}${qualifier}` : name;
};

const rivalsOf = (world: Encyclopedia, fact: Fact, page: Page): Rival[] => {
  const { stale } = world.placed(page);
  const older = fact.former && page.dates;
  const namesakes = world.knowledge.namesakes(fact.subject).flatMap((other) => {
    const theirs = world.knowledge.fact(other, fact.relation);
    return theirs && !sameObject(theirs.object, fact.object) ? [theirs] : [];
  });
  return [
    ...(stale && older
      ? [
          {
            object: fact.former?.text ?? '',
            passageId: stale.id,
            why: 'stale' as const,
            date: older.older,
          },
        ]
      : []),
    ...world
      .doubts(fact)
      .flatMap((doubt) =>
        doubt.claims === undefined
          ? []
          : [{ object: doubt.claims, passageId: doubt.id, why: 'contradicting' as const }],
      ),
    ...namesakes.map((theirs) => ({
      object: theirs.object.text,
      passageId: clean(world, world.homeOf(theirs)).passageId,
      why: 'namesake' as const,
    })),
  ];
};

/** The step that reads a whole list; its object is the items joined by ", ". */
export const listStep = (
  scope: Scope,
  list: ListRelation,
  of: Entity,
  known: string,
): { step: ChainStep; items: readonly Fact[] } | undefined => {
  const { world } = scope;
  const page = world.listPage(list, of);
  if (!page) return undefined;
  const items = page.facts;
  if (!items.every(scope.mayUse)) return undefined;
  const names = (facts: readonly Fact[]): string =>
    facts.map((f) => fullName(f.subject)).join(', ');
  const { stale } = world.placed(page);
  const rivals: Rival[] =
    stale && page.dates
      ? [
          {
            object: names(itemsIn(page, 'older')),
            passageId: stale.id,
            why: 'stale',
            date: page.dates.older,
          },
        ]
      : [];
  const own = fullName(of);
  return {
    items,
    step: {
      subject: own,
      relation: list.id,
      object: names(items),
      ...clean(world, page),
      query: list.query.replace('{x}', known),
      betterQuery: known === own ? own : list.query.replace('{x}', own),
      ...(page.dates && { date: page.dates.current }),
      ...(rivals.length > 0 && { rivals }),
    },
  };
};

type Parts = Pick<Draft, 'type' | 'composition' | 'text' | 'answers'> &
  Partial<Draft> & { chain: ChainStep[] };

/** A question from its gold chain; hops (where there are any), supporting titles and corpora follow from it. */
export const drawn = (parts: Parts, uses: readonly Fact[]): Drawn => {
  const { chain, text } = parts;
  return {
    uses,
    question: {
      supporting: [...new Set(chain.map((s) => s.title))],
      ...(chain.length > 0 && {
        hops: new Set(chain.map((s) => s.passageId)).size,
        localSuffices: chain.every((s) => s.source !== 'web'),
      }),
      needs: 'search',
      ...parts,
      text: text.charAt(0).toUpperCase() + text.slice(1),
    },
  };
};
