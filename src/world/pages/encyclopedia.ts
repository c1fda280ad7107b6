import type { Passage } from '../../records/records.ts';
import { KeyedRandom } from '../../base/random.ts';
import { LIST_RELATIONS } from '../schema/joint-relations.ts';
import type { WorldSize } from '../facts/names.ts';
import type { ListRelation } from '../schema/kinds.ts';
import { makeEntities, type Entity } from '../facts/entities.ts';
import { makeFacts, type Fact } from '../facts/facts.ts';
import { Knowledge } from '../facts/knowledge.ts';
import { writeCorpora, type Corpora, type Placed, type WebKind } from './corpora.ts';
import { makePages, type Page } from './pages.ts';
import type { Noise } from './noise.ts';

/** Everything of a world but its questions. */
export interface Encyclopedia {
  entities: readonly Entity[];
  knowledge: Knowledge;
  /** True facts that no passage states. */
  unstated: readonly Fact[];
  pages: readonly Page[];
  local: Passage[];
  web: Passage[];
  /** The page that states a fact as a value of its subject. */
  homeOf(fact: Fact): Page;
  listPage(list: ListRelation, of: Entity): Page | undefined;
  placed(page: Page): Placed;
  doubts(fact: Fact): readonly (Noise & { id: string })[];
}

/** Share of the facts that may stay untold which are. */
const UNSTATED_SHARE = 0.05;
/** Relations that a list page, or the page of the other spouse, would give away. */
const STATED_ELSEWHERE = new Set([...LIST_RELATIONS.map((list) => list.inverts), 'person.spouse']);

const mayBeUnstated = ({ relation: id, subject }: Fact): boolean =>
  !STATED_ELSEWHERE.has(id) && subject.qualifier === undefined;

/** A whole encyclopedia from one number. Same seed, size and kind of web, same encyclopedia. */
export const makeEncyclopedia = (
  seed: number,
  size: WorldSize,
  webKind: WebKind = 'apart',
): Encyclopedia => {
  const key = (stream: number): KeyedRandom => new KeyedRandom(seed, 2, stream);
  const entities = makeEntities(key(1), size);
  const all = makeFacts(key(2), entities);
  const secret = key(3);
  const untold = new Set(all.filter((f) => mayBeUnstated(f) && secret.chance(UNSTATED_SHARE)));
  const facts = all.filter((f) => !untold.has(f));
  const knowledge = new Knowledge(entities, facts);
  const pages = makePages(key(4), entities, facts);
  const corpora: Corpora = writeCorpora(key(5), pages, knowledge, [...untold], webKind);
  const homes = new Map<Fact, Page>();
  const lists = new Map<string, Page>();
  for (const page of pages) {
    if (page.list) lists.set(`${page.list.id} ${page.about?.id}`, page);
    else for (const fact of page.facts) homes.set(fact, page);
  }
  return {
    entities,
    knowledge,
    unstated: [...untold],
    pages,
    local: corpora.local,
    web: corpora.web,
    homeOf: (fact) => {
      const page = homes.get(fact);
      if (!page) throw new Error(`no page states ${fact.relation} of ${fact.subject.name}`);
      return page;
    },
    listPage: (list, of) => lists.get(`${list.id} ${of.id}`),
    placed: (page) => corpora.placed.get(page) ?? {},
    doubts: (fact) => corpora.doubts.get(fact) ?? [],
  };
};
