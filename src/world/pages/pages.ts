import { groupBy } from '../../base/items.ts';
import type { KeyedRandom } from '../../base/random.ts';
import { LIST_RELATIONS } from '../schema/joint-relations.ts';
import type { ListRelation } from '../schema/kinds.ts';
import { fullName, type Entity } from '../facts/entities.ts';
import type { Fact } from '../facts/facts.ts';
import { PLURALS, SECOND_TITLES } from '../schema/relation.ts';
import { relation } from '../schema/schema.ts';

/**
 * In which corpus a page lies. `stale`: the local corpus holds an older state of it, the web the
 * current one.
 */
type Where = 'local' | 'web' | 'both' | 'stale';

/** A page before it becomes passages: what it states, and where it lies. */
export interface Page {
  title: string;
  /** main, second: of one entity. list: all items of a relation. brief: one fact each of several
   * entities. alias: that a name means an entity. */
  sort: 'main' | 'second' | 'list' | 'brief' | 'alias';
  /** Whose page it is; a brief page is nobody's. */
  about?: Entity;
  facts: Fact[];
  list?: ListRelation;
  /** Titles of brief pages that state what is missing here. */
  see: string[];
  /** Whether it says by which other name its entity is known. */
  tellsAlias: boolean;
  where: Where;
  /** Years of its current and of its older state; only of pages that state what changes. */
  dates?: { current: number; older: number };
}

/** Share of lasting facts that are on a brief page about several, and not on a page of their own. */
const BRIEF = 0.07;
const BRIEF_SIZE = 3;
/** Share of aliases that have a page of their own, which says whose name it is. */
const ALIAS_PAGES = 0.9;
/** How often the main page tells the other name too; it does so always where nothing else does. */
const ALIAS_ON_MAIN = 0.3;

/** All pages of a world; each lies somewhere, drawn for it alone. */
export const makePages = (
  rng: KeyedRandom,
  entities: readonly Entity[],
  facts: readonly Fact[],
): Page[] => {
  const briefed = new Set(facts.filter((f) => mayBeBrief(f) && rng.chance(BRIEF)));
  const briefs = briefPages(rng, [...briefed]);
  const briefOf = new Map(briefs.flatMap((page) => page.facts.map((f) => [f, page.title])));
  const bySubject = groupBy(facts, (f) => f.subject);
  const byTarget = groupBy(facts, (f) => `${f.relation} ${f.object.target?.id}`);
  const pages = entities.flatMap((about) => {
    const own = bySubject.get(about) ?? [];
    const named = about.alias !== undefined;
    const aliasPage = named && rng.chance(ALIAS_PAGES);
    const tellsAlias = named && (!aliasPage || rng.chance(ALIAS_ON_MAIN));
    const out: Page[] = [];
    for (const sort of ['main', 'second'] as const) {
      const all = own.filter((f) => relation(f.relation).page === sort);
      const stays = all.filter((f) => !briefed.has(f));
      // The main page leads to everything that stands elsewhere.
      const led = sort === 'main' ? own : all;
      const see = [...new Set(led.flatMap((f) => briefOf.get(f) ?? []))];
      // A page without a fact stays where it leads on, or tells the other name.
      const needed = sort === 'main' && (tellsAlias || see.length > 0);
      if (stays.length === 0 && !needed) continue;
      const title =
        sort === 'main' ? about.name : SECOND_TITLES[about.kind].replace('{x}', about.name);
      const tells = sort === 'main' && tellsAlias;
      out.push({ ...page(title, sort, stays), about, see, tellsAlias: tells });
    }
    for (const list of LIST_RELATIONS) {
      const items = list.of === about.kind ? byTarget.get(`${list.inverts} ${about.id}`) : [];
      if (items && items.length > 0)
        out.push({ ...page(list.title.replace('{x}', about.name), 'list', items), about, list });
    }
    if (about.alias !== undefined && aliasPage)
      out.push({ ...page(about.alias, 'alias', []), about, tellsAlias: true });
    return out;
  });
  const all = [...pages, ...briefs];
  const leans = new Map<Entity, Lean>(entities.map((e) => [e, rng.chance(0.5) ? 'local' : 'web']));
  for (const one of all) {
    one.where = drawWhere(rng, one, (one.about && leans.get(one.about)) ?? 'none');
    if (changes(one)) {
      const current = rng.between(2012, 2024);
      one.dates = { current, older: rng.between(1990, Math.min(current - 4, 2015)) };
    }
  }
  return all;
};

const page = (title: string, sort: Page['sort'], facts: Fact[]): Page => ({
  title,
  sort,
  facts,
  see: [],
  tellsAlias: false,
  where: 'web',
});

/** What changes keeps to pages with a date; what tells namesakes apart, to their own page. */
const mayBeBrief = ({ relation: id, subject }: Fact): boolean =>
  !relation(id).changes && subject.qualifier === undefined;

const briefPages = (rng: KeyedRandom, facts: readonly Fact[]): Page[] =>
  [...groupBy(rng.shuffle(facts), (f) => f.subject.kind)].flatMap(([kind, group]) =>
    Array.from({ length: Math.ceil(group.length / BRIEF_SIZE) }, (_, i) =>
      page(
        `${PLURALS[kind]} in brief ${i + 1}`,
        'brief',
        group.slice(i * BRIEF_SIZE, (i + 1) * BRIEF_SIZE),
      ),
    ),
  );

/** Whether the page has an older state: a value that changed, or a list that has grown. */
const changes = ({ list, facts }: Page): boolean =>
  list ? facts.length > 1 : facts.some((f) => f.former !== undefined);

/**
 * Where a page that is not stale lies. Every page is drawn for itself; which of the two it is drawn
 * by is drawn for its entity, so that what is known of one page says something of the next.
 */
const PLACES: Readonly<Record<Lean, Readonly<Partial<Record<Where, number>>>>> = {
  local: { local: 0.64, web: 0.06, both: 0.3 },
  web: { local: 0.08, web: 0.82, both: 0.1 },
  none: { local: 0.34, web: 0.43, both: 0.23 },
};
type Lean = 'local' | 'web' | 'none';
/** Pages that change are stale in the local corpus this often. */
const STALE: Readonly<Record<Lean, number>> = { local: 0.5, web: 0.22, none: 0 };
/** A page that tells a name is short; it lies wherever the name's other pages are looked for. */
const ALIAS_PLACES: typeof PLACES = {
  local: { local: 0.08, both: 0.92 },
  web: { web: 0.7, both: 0.3 },
  none: { both: 1 },
};

const drawWhere = (rng: KeyedRandom, one: Page, lean: Lean): Where => {
  if (one.sort === 'alias') return rng.weighted(ALIAS_PLACES[lean]);
  return changes(one) && rng.chance(STALE[lean]) ? 'stale' : rng.weighted(PLACES[lean]);
};

/** How a page speaks of its entity. */
export const subjectOf = (one: Page): string => (one.about ? fullName(one.about) : '');
