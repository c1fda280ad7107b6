import type { Passage, Question } from '../records/records.ts';
import type { CompositionFilter } from './questions/compositions.ts';
import { makeEntities } from './facts/entities.ts';
import { makeFacts, placeEntities, type Entity, type Fact, type WorldSize } from './facts/facts.ts';
import { Knowledge } from './facts/knowledge.ts';
import { makePages, noisyRelations, writeNoise, writePage, type Page } from './facts/passages.ts';
import { drawForm, drawQuestion } from './questions/questions.ts';
import type { Hops, QuestionScope } from './questions/question-scope.ts';
import { KeyedRandom } from '../base/random.ts';

type Split = 'train' | 'dev' | 'test';

/** A fictional encyclopedia with its two corpora and its questions. */
export interface World {
  seed: number;
  entities: Entity[];
  facts: Fact[];
  /** Clean pages of about half of the entities. */
  local: Passage[];
  /** Pages of the rest, re-worded pages of about half of `local`, and noise. */
  web: Passage[];
  questions: Record<Split, Question[]>;
}

/** Seed of the world that ships with the page. */
export const SHIPPED_SEED = 20250619;

const FULL_SIZE: WorldSize = {
  person: 2000,
  film: 1000,
  book: 700,
  city: 420,
  country: 60,
  company: 480,
  river: 140,
  award: 260,
  university: 240,
  band: 260,
};
const MINI_SIZE: WorldSize = {
  person: 40,
  film: 18,
  book: 12,
  city: 12,
  country: 5,
  company: 10,
  river: 5,
  award: 6,
  university: 6,
  band: 6,
};

/** Share of local pages that the web also holds, in other words. */
const REWORDED = 0.5;
/** Noise passages for each clean page of the web. */
const NOISE = 0.22;
const COUNTS: Readonly<Record<Split, number>> = { train: 2400, dev: 360, test: 400 };
/** Shares of 1 to 4 hops. */
const HOPS: readonly (readonly [Hops, number])[] = [
  [1, 0.3],
  [2, 0.35],
  [3, 0.2],
  [4, 0.15],
];
/** Share of the test questions of several relations whose composition training lacks. */
const HELD_OUT = 0.45;

/** Draws of one form before another form is drawn. */
const TRIES = 300;

/** Everything but the questions. */
export interface Encyclopedia {
  entities: Entity[];
  facts: Fact[];
  knowledge: Knowledge;
  pages: Page[];
  local: Passage[];
  web: Passage[];
  /** Clean passage by title: the local one where there is one. */
  clean: ReadonlyMap<string, { passage: Passage; local: boolean }>;
}

const makeEncyclopedia = (seed: number, size: WorldSize): Encyclopedia => {
  const entities = makeEntities(new KeyedRandom(seed, 1), size);
  const facts = makeFacts(new KeyedRandom(seed, 2), entities);
  placeEntities(new KeyedRandom(seed, 3), entities, facts);
  const knowledge = new Knowledge(entities, facts);
  const pages = makePages(entities, facts);
  const rng = new KeyedRandom(seed, 4);
  const local: Passage[] = [];
  const web: Omit<Passage, 'id'>[] = [];
  for (const page of pages) {
    if (page.about.local) local.push({ id: `local-${local.length}`, ...write(rng, page) });
    if (!page.about.local || rng.chance(REWORDED)) web.push(write(rng, page));
  }
  web.push(...makeNoise(rng, knowledge, Math.round(web.length * NOISE)));
  const shuffled = rng.shuffle(web).map((p, i): Passage => ({ id: `web-${i}`, ...p }));
  const clean = new Map<string, { passage: Passage; local: boolean }>();
  for (const p of shuffled) if (!p.noise) clean.set(p.title, { passage: p, local: false });
  for (const p of local) clean.set(p.title, { passage: p, local: true });
  return { entities, facts, knowledge, pages, local, web: shuffled, clean };
};

const write = (rng: KeyedRandom, page: Page): Omit<Passage, 'id'> => {
  const sentences = writePage(rng, page);
  return { title: page.title, text: sentences.join(' '), sentences };
};

const makeNoise = (rng: KeyedRandom, k: Knowledge, count: number): Omit<Passage, 'id'>[] => {
  const out: Omit<Passage, 'id'>[] = [];
  for (let tries = 0; out.length < count && tries < count * 5; tries++) {
    const about = rng.pick(k.entities);
    const fact = k.fact(about, rng.maybe(noisyRelations(about)) ?? '');
    const wrong = fact && k.wrongObject(rng, fact.relation, fact.object);
    const other = rng.pick(k.kind(about.kind));
    if (fact && wrong !== undefined && other !== about)
      out.push(writeNoise(rng, fact, wrong, other));
  }
  return out;
};

/** Scope of questions over an encyclopedia. Throws where a page is missing: a bug of the generator. */
export const questionScope = (
  world: Encyclopedia,
  filter: CompositionFilter,
  mayAnchor: (e: Entity) => boolean = () => true,
): QuestionScope => ({
  knowledge: world.knowledge,
  filter,
  mayAnchor,
  locate: (title) => {
    const found = world.clean.get(title);
    if (!found) throw new Error(`no passage titled ${title}`);
    return { id: found.passage.id, local: found.local };
  },
});

/** A whole world from one number. Same seed and size, same world. */
export const generateWorld = (options: { seed: number; size?: WorldSize }): World => {
  const { seed, size = FULL_SIZE } = options;
  const world = makeEncyclopedia(seed, size);
  const split = splitEntities(new KeyedRandom(seed, 5), world.entities);
  const scale = Math.min(1, world.entities.length / 5000);
  const draw = (name: Split, stream: number): Question[] => {
    const count = Math.ceil(COUNTS[name] * scale);
    return drawQuestions(
      new KeyedRandom(seed, 6, stream),
      world,
      name,
      (e) => split.get(e) === name,
      count,
    );
  };
  return {
    seed,
    entities: world.entities,
    facts: world.facts,
    local: world.local,
    web: world.web,
    questions: { train: draw('train', 0), dev: draw('dev', 1), test: draw('test', 2) },
  };
};

/** A small world for training; cheap enough to make one for a handful of examples. */
export const generateMiniWorld = (seed: number): Encyclopedia => makeEncyclopedia(seed, MINI_SIZE);

const splitEntities = (rng: KeyedRandom, entities: readonly Entity[]): Map<Entity, Split> =>
  new Map(entities.map((e) => [e, rng.weighted({ train: 0.6, dev: 0.2, test: 0.2 })]));

const drawQuestions = (
  rng: KeyedRandom,
  world: Encyclopedia,
  split: Split,
  mayAnchor: (e: Entity) => boolean,
  count: number,
): Question[] => {
  const seen = questionScope(world, 'seen', mayAnchor);
  const heldOut = questionScope(world, 'held-out', mayAnchor);
  const out: Question[] = [];
  const texts = new Set<string>();
  for (const [hops, share] of HOPS) {
    const target = out.length + Math.round(count * share);
    const mixed = split === 'test' && hops > 1;
    for (let draws = 0; out.length < target && draws < target * 20; draws++) {
      const form = drawForm(rng, hops);
      const scope = mixed && rng.chance(HELD_OUT) ? heldOut : seen;
      for (let tries = 0; tries < TRIES; tries++) {
        const drawn = drawQuestion(rng, scope, form, hops);
        if (!drawn || texts.has(drawn.text)) continue;
        texts.add(drawn.text);
        out.push({ id: '', ...drawn });
        break;
      }
    }
  }
  return rng.shuffle(out).map((q, i) => ({ ...q, id: `${split}-${i}` }));
};
