import type { ChainStep, Passage } from '../../records/records.ts';
import type { KeyedRandom } from '../../base/random.ts';
import { MiniSearch } from './mini-search.ts';
import { fullName } from '../facts/entities.ts';
import type { Encyclopedia } from '../pages/encyclopedia.ts';
import { ALIAS_SENTENCES } from '../pages/write.ts';
import { HEADS } from '../facts/inventory.ts';
import type { Kind } from '../schema/kinds.ts';

/** Longest first, so that a head is not cut short by another one that opens it. */
const BY_LENGTH = [...HEADS].sort((a, b) => b.length - a.length);
const headOf = (word: string): string => BY_LENGTH.find((head) => word.startsWith(head)) ?? '';

/** `word` with its first or its last part taken from `other`; all of `other` where one is no invented word. */
function blendWords(rng: KeyedRandom, word: string, other: string): string {
  const [head, otherHead] = [headOf(word), headOf(other)];
  if (head === '' || otherHead === '') return other;
  return rng.chance(0.5)
    ? head + other.slice(otherHead.length)
    : otherHead + word.slice(head.length);
}

/** `name` with a word, or a part of its one invented word, taken from `other` of the same kind. */
function blendNames(rng: KeyedRandom, name: string, other: string): string {
  const [first = '', ...rest] = name.split(' ');
  const [otherFirst = '', ...otherRest] = other.split(' ');
  const [tail, otherTail] = [rest.join(' '), otherRest.join(' ')];
  if (tail === otherTail) return [blendWords(rng, first, otherFirst), tail].join(' ').trim();
  if (tail !== '' && rng.chance(0.3)) return `${first} ${blendWords(rng, tail, otherTail)}`;
  return rng.chance(0.5) ? `${first} ${otherTail}`.trim() : `${otherFirst} ${tail}`.trim();
}

/** What is needed of a world, of either form. */
interface Peopled {
  readonly entities: readonly { readonly name: string; readonly kind: Kind }[];
  readonly knowledge: { kind(kind: Kind): readonly { readonly name: string }[] };
}

/**
 * A full world holds many pages of the same sort whose names share a part with the right one, and
 * retrieval finds just those. A mini world has few, so some are made: another entity's page under a
 * name blended from the two.
 */
class Lookalikes {
  readonly #world: Peopled;
  readonly #index: MiniSearch;
  readonly #names: ReadonlySet<string>;

  constructor(world: Peopled, index: MiniSearch) {
    this.#world = world;
    this.#index = index;
    this.#names = new Set(world.entities.map((entity) => entity.name));
  }

  /** A page like the one titled `title` about `subject`; undefined where the world has no model for it. */
  passage(rng: KeyedRandom, title: string, subject: string): Passage | undefined {
    const entity = this.#world.entities.find((e) => e.name === subject);
    if (!entity || !title.includes(subject)) return undefined;
    const other = rng.pick(this.#world.knowledge.kind(entity.kind)).name;
    const name = blendNames(rng, subject, other);
    const model = rng.maybe(this.#index.clean(title.replace(subject, other)));
    if (!model || this.#names.has(name)) return undefined;
    const rename = (text: string): string => text.replaceAll(other, name);
    return {
      id: `${model.id}~`,
      title: rename(model.title),
      text: rename(model.text),
      sentences: model.sentences.map(rename),
      noise: 'distractor',
    };
  }

  /** The page of someone else that states the same; undefined where the world has none. */
  another(rng: KeyedRandom, title: string, subject: string): Passage | undefined {
    const entity = this.#world.entities.find((e) => e.name === subject);
    if (!entity || !title.includes(subject)) return undefined;
    const other = rng.pick(this.#world.knowledge.kind(entity.kind)).name;
    if (other === subject) return undefined;
    return rng.maybe(this.#index.clean(title.replace(subject, other)));
  }

  /** A page of another entity's other name, which is like the subject's; undefined where the world has none. */
  alias(rng: KeyedRandom, subject: string, sentences: readonly string[]): Passage | undefined {
    const entity = this.#world.entities.find((e) => e.name === subject);
    if (!entity) return undefined;
    const [other, meant] = rng.sample(this.#world.knowledge.kind(entity.kind), 2);
    if (!other || !meant || meant.name === subject) return undefined;
    const name = blendNames(rng, subject, other.name);
    // A page of that title would tell of someone who is there, under this or another name.
    if (this.#names.has(name) || this.#index.clean(name).length > 0) return undefined;
    const text = rng.pick(sentences).replace('{a}', name).replace('{x}', meant.name);
    return { id: `alias~${name}`, title: name, text, sentences: [text], noise: 'distractor' };
  }
}

export type Source = 'local' | 'web';

/**
 * Results in which passages beside the right one are replaced by lookalikes of it, and the share of their
 * passages that stay as they are. Where the right one is missing there are more: that a like name says what was
 * looked for is what a reader falls for, and what single sources of a full world often bring.
 */
const LOOKALIKES = { shown: 0.5, missing: 0.95 } as const;
const KEPT = { shown: 0.35, missing: 0.2 } as const;
/**
 * Where the right one is missing: lookalikes that tell whose name a like one is, and pages of others, of any
 * name, that state the same; and how often pages on the right name give way as well. Among thousands of
 * passages what states the same of others comes before what states something else of the same.
 */
const ALIASES = 0.2;
const OTHERS = 0.4;
const OWN = 0.6;
/** Results in the order in which retrieval found them; the others are shuffled. */
const IN_ORDER = 0.6;

/** What a search of a mini world brings, for demonstrations. */
export class Results {
  readonly #index: MiniSearch;
  readonly #lookalikes: Lookalikes;
  readonly #byId: ReadonlyMap<string, Passage>;
  /** Names without what tells namesakes apart, as titles have them. */
  readonly #plain: ReadonlyMap<string, string>;

  constructor(
    world: Encyclopedia,
    private readonly rng: KeyedRandom,
  ) {
    this.#index = new MiniSearch(world);
    this.#lookalikes = new Lookalikes(world, this.#index);
    this.#byId = new Map([...world.local, ...world.web].map((p) => [p.id, p]));
    this.#plain = new Map(world.entities.map((e) => [fullName(e), e.name]));
  }

  /**
   * What a query brings for a step, lookalikes among it.
   * @param source where it searches; both where undefined
   * @param found whether the step's passage is put among the hits where it is not
   */
  hits(
    query: string,
    k: number,
    step: ChainStep | undefined,
    source?: Source,
    found = false,
  ): Passage[] {
    const elsewhere = (p: Passage): boolean =>
      source !== undefined && !p.id.startsWith(`${source}-`);
    const hits = this.#index.search(query, k, elsewhere);
    if (found && step && !shows(hits, step)) {
      const gold = this.gold(step, source);
      if (gold) hits[hits.length < k ? hits.length : k - 1] = gold;
    }
    if (step) this.#disguise(hits, step);
    return this.rng.chance(IN_ORDER) ? hits : this.rng.shuffle(hits);
  }

  /** A passage that states a step, of one source if it must be. */
  gold({ passageIds = [] }: ChainStep, source?: Source): Passage | undefined {
    const ids = passageIds.filter((id) => source === undefined || id.startsWith(`${source}-`));
    return this.#byId.get(this.rng.maybe(ids) ?? '');
  }

  /** Passages beside those that a reader goes by become lookalikes. */
  #disguise(hits: Passage[], step: ChainStep): void {
    const kind = shows(hits, step) ? 'shown' : 'missing';
    if (!this.rng.chance(LOOKALIKES[kind])) return;
    const name = this.#plain.get(step.subject) ?? step.subject;
    for (const [place, passage] of hits.entries()) {
      const mentioned = passage.text.includes(name) || passage.title.includes(name);
      const stays = mentioned
        ? kind === 'shown' || !this.rng.chance(OWN)
        : this.rng.chance(KEPT[kind]);
      if (stays || passage.noise !== undefined || step.passageIds?.includes(passage.id)) continue;
      const one = this.#inPlace(kind, step.title, name);
      if (one && hits.every(({ id }) => id !== one.id)) hits[place] = one;
    }
  }

  /** What a passage gives way to. */
  #inPlace(kind: 'shown' | 'missing', title: string, name: string): Passage | undefined {
    const { rng } = this;
    const drawn = kind === 'missing' ? rng.uniform() : 1;
    if (drawn < ALIASES) return this.#lookalikes.alias(rng, name, ALIAS_SENTENCES);
    if (drawn < ALIASES + OTHERS) return this.#lookalikes.another(rng, title, name);
    return this.#lookalikes.passage(rng, title, name);
  }
}

/** Whether a passage that states a step is among these. */
export const shows = (hits: readonly Passage[], step: ChainStep): boolean =>
  hits.some((p) => step.passageIds?.includes(p.id) === true);

/** The sentence of the hits that states a step; for a list the whole passage. */
export const sentenceOf = (hits: readonly Passage[], step: ChainStep): string | undefined => {
  const page = hits.find((p) => step.passageIds?.includes(p.id));
  const [first = step.object] = step.object.split(', ');
  const name = step.subject.split(' (')[0] ?? step.subject;
  const holding = page?.sentences.filter((s) => s.includes(first)) ?? [];
  // A page on several names states such a value of each.
  return holding.find((s) => s.includes(name)) ?? holding[0];
};

/** What a reader goes by where a result lacks what was looked for. */
export interface Clue {
  thought: string;
  /** The better query that it leads to. */
  query?: string;
  /** Whether the current state of what was found is to be looked for on the web. */
  stale?: true;
}

const NOT_FOUND: Clue = { thought: 'not found . try again .' };

/**
 * What a result without the step's passage says all the same: whose name an alias is, which page tells
 * more, an older value with its date, a rumor.
 */
export const clueIn = (
  hits: readonly Passage[],
  step: ChainStep,
  known: string,
  name: string,
): Clue => {
  const { betterQuery = '', subject, rivals = [] } = step;
  const sound = hits.filter((p) => p.noise === undefined);
  const own = subject.split(' (')[0] ?? subject;
  const brief = /^\S+ in brief \d+/.exec(betterQuery)?.[0];
  if (known !== subject && sound.some((p) => p.text.includes(known) && p.text.includes(own)))
    return {
      thought: `${known} is ${subject} . next ${name.replace(known, subject)} .`,
      query: betterQuery,
    };
  if (brief !== undefined && sound.some((p) => p.text.includes(brief) && p.text.includes(own)))
    return { thought: `see ${brief} . next ${name} .`, query: betterQuery };
  const shown = rivals.filter((rival) => hits.some((p) => p.id === rival.passageId));
  const stale = shown.find((rival) => rival.why === 'stale');
  if (stale?.date !== undefined)
    return {
      thought: `only as of ${stale.date} . look for newer .`,
      stale: true,
      ...(known === subject && { query: betterQuery }),
    };
  if (shown.some((rival) => rival.why === 'contradicting'))
    return { thought: 'only a rumor . try again .' };
  return NOT_FOUND;
};

const WORD = /[\p{L}\p{N}]+/gu;
/** Most sentences of a summary. */
const MOST = 4;

/** A summary of whole sentences for a query, one line per passage, as the extractive summarizer writes it. */
export const summaryOf = (
  query: string,
  hits: readonly Passage[],
  keep: readonly string[],
): string => {
  const wanted = new Set(query.match(WORD));
  const scored = hits.flatMap((p) =>
    p.sentences.map((text) => ({
      p,
      text,
      score: keep.includes(text)
        ? Infinity
        : new Set(
            [...(text.match(WORD) ?? []), ...(p.title.match(WORD) ?? [])].filter((w) =>
              wanted.has(w),
            ),
          ).size,
    })),
  );
  const chosen = scored
    .filter(({ score }) => score > 1)
    .sort((a, b) => b.score - a.score)
    .slice(0, Math.max(MOST, keep.length));
  if (chosen.length === 0) return 'nothing relevant was found .';
  return [...new Set(chosen.map(({ p }) => p))]
    .map((p) => {
      const own = p.sentences.filter((text) => chosen.some((c) => c.p === p && c.text === text));
      return `${p.title} : ${own.join(' ')}`;
    })
    .join('\n ');
};
