import { KeyedRandom } from '../../base/random.ts';
import type { Passage } from '../../records/records.ts';
import { passageText, pad, queryText, type Tokenize } from '../../retrieval/encoder/tokens.ts';
import { fullName } from '../../world/facts/entities.ts';
import type { Encyclopedia } from '../../world/pages/encyclopedia.ts';
import type { Fact } from '../../world/facts/facts.ts';
import { drawForm } from '../../world/questions/forms.ts';
import { LIST_RELATIONS } from '../../world/schema/joint-relations.ts';
import { relation } from '../../world/schema/schema.ts';
import { drawQuestion, generateMiniWorld, openScope } from '../../world/world.ts';
import type { TrainingBatch } from './trainer.ts';

/** Queries of one batch; every batch has as many passages again as hard negatives. */
const BATCH_QUERIES = 96;
/** Tokens that queries and passages are padded to; both are longer than what the worlds write. */
const QUERY_TOKENS = 28;
const PASSAGE_TOKENS = 40;

export interface Example {
  query: string;
  positive: Passage;
  /** A passage about the same entity, or about one with a similar name. */
  hardNegative: Passage;
}

/** How queries are put, and how often. */
const FORMS = {
  gold: 0.3,
  swapped: 0.17,
  asked: 0.2,
  noun: 0.1,
  list: 0.08,
  name: 0.05,
  question: 0.1,
} as const;
/** Share of queries that are written in lower case. */
const LOWER = 0.12;

/** The examples of batch `index`: of a world that no other batch has; they depend on (seed, index). */
export function drawExamples(seed: number, index: number, count = BATCH_QUERIES): Example[] {
  const rng = new KeyedRandom(seed, 77, index);
  const world = generateMiniWorld(rng.bits());
  const pages = new Pages(world);
  const examples: Example[] = [];
  for (let draws = 0; examples.length < count; draws++) {
    if (draws > count * 50) throw new Error('the world yields too few examples');
    const drawn = drawQuery(rng, world);
    const positive = drawn && pages.clean(rng, drawn.title);
    if (!drawn || !positive) continue;
    const query = rng.chance(LOWER) ? drawn.query.toLowerCase() : drawn.query;
    examples.push({ query, positive, hardNegative: pages.confusable(rng, positive) });
  }
  return examples;
}

interface Drawn {
  query: string;
  /** Title of the page that it should find. */
  title: string;
}

function drawQuery(rng: KeyedRandom, world: Encyclopedia): Drawn | undefined {
  const form = rng.weighted(FORMS);
  if (form === 'question') return drawQuestionText(rng, world);
  const fact = rng.pick(world.knowledge.facts);
  if (form === 'list') return drawListQuery(rng, world, fact);
  const name = fullName(fact.subject);
  if (form === 'name') return { query: name, title: fact.subject.name };
  const { label, nouns, asks } = relation(fact.relation);
  const patterns: Record<typeof form, readonly string[]> = {
    gold: [`${label} of {x}`],
    swapped: [`{x} ${label}`],
    asked: asks,
    noun: nouns,
  };
  const query = rng.pick(patterns[form]).replace('{x}', name);
  return { query, title: world.homeOf(fact).title };
}

function drawListQuery(rng: KeyedRandom, world: Encyclopedia, fact: Fact): Drawn | undefined {
  const list = LIST_RELATIONS.find(({ inverts }) => inverts === fact.relation);
  const { target } = fact.object;
  const page = list && target && world.listPage(list, target);
  if (!page) return undefined;
  const name = fullName(target);
  const query = rng.chance(0.7) ? list.query.replace('{x}', name) : `${name} ${list.label}`;
  return { query, title: page.title };
}

/** A whole question; what it leads to first is a step whose subject it names. */
function drawQuestionText(rng: KeyedRandom, world: Encyclopedia): Drawn | undefined {
  const question = drawQuestion(rng, openScope(world, rng), drawForm(rng))?.question;
  const step = rng.maybe(question?.chain?.filter((s) => question.text.includes(s.subject)) ?? []);
  return question && step ? { query: question.text, title: step.title } : undefined;
}

/** The passages of a world by title and by the words of their titles. */
class Pages {
  readonly #all: readonly Passage[];
  readonly #byTitle = new Map<string, Passage[]>();
  readonly #byWord = new Map<string, Passage[]>();

  constructor(world: Encyclopedia) {
    this.#all = [...world.local, ...world.web];
    for (const passage of this.#all) {
      if (passage.noise === undefined) append(this.#byTitle, passage.title, passage);
      for (const word of nameWords(passage.title)) append(this.#byWord, word, passage);
    }
  }

  /** A passage with this title that is not noise. */
  clean(rng: KeyedRandom, title: string): Passage | undefined {
    return rng.maybe(this.#byTitle.get(title) ?? []);
  }

  /** Another page (or noise) that shares a word of a name with the passage's title. */
  confusable(rng: KeyedRandom, passage: Passage): Passage {
    for (let tries = 0; tries < 10; tries++) {
      const word = rng.maybe(nameWords(passage.title)) ?? '';
      const other = rng.maybe(this.#byWord.get(word) ?? []);
      if (other && other.title !== passage.title) return other;
    }
    return rng.pick(this.#all);
  }
}

/** Capitalised words of a title. */
const nameWords = (title: string): string[] => title.match(/\p{Lu}[\p{L}\p{N}]*/gu) ?? [];

function append<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  const values = map.get(key);
  if (values) values.push(value);
  else map.set(key, [value]);
}

/** Tokens of a batch, and which passages are not negatives: other wordings of a query's positive. */
export function toBatch(examples: readonly Example[], tokenize: Tokenize): TrainingBatch {
  const passages = [
    ...examples.map(({ positive }) => positive),
    ...examples.map(({ hardNegative }) => hardNegative),
  ];
  const ignore = new Float32Array(examples.length * passages.length);
  examples.forEach(({ positive }, row) => {
    passages.forEach((other, column) => {
      const same = other.title === positive.title && other.noise === undefined;
      if (same && column !== row) ignore[row * passages.length + column] = 1;
    });
  });
  const ids = (texts: string[]): number[][] => texts.map((text) => tokenize(text));
  return {
    queries: pad(ids(examples.map((e) => queryText(e.query, ''))), QUERY_TOKENS, QUERY_TOKENS),
    passages: pad(ids(passages.map((p) => passageText(p, ''))), PASSAGE_TOKENS, PASSAGE_TOKENS),
    ignore,
  };
}
