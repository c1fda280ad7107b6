import type { Turn } from '../../agent/transcript/write-turn.ts';
import { itemAt } from '../../base/items.ts';
import type { ChainStep, Question } from '../../records/records.ts';
import { comparedPair, type FoundPage } from './compared.ts';
import { comparedCountries } from './countries.ts';
import { comparedDates } from './dates.ts';
import { GaveUp } from './left-out.ts';
import { isClosed, plainTitle, SeenText } from './mentions.ts';

/**
 * Short thoughts of demonstrations. They say only what they are given, and the same thing always in the same words: a
 * small model that has few updates learns what to say rather than which of several wordings to use.
 */

/** What is looked up: a sub-question, a relation of a subject, or a page. */
type Wanted =
  | { kind: 'question'; text: string }
  | { kind: 'relation'; subject: string; relation: string }
  | { kind: 'title'; title: string };

function wantedText(wanted: Wanted): string {
  switch (wanted.kind) {
    case 'question':
      return `find out: ${wanted.text}?`;
    case 'relation':
      return `find out: ${wanted.subject}, ${wanted.relation}.`;
    case 'title':
      return `look up ${wanted.title}.`;
  }
}

const openingThought = (next: Wanted): string => `First, ${wantedText(next)}`;

/** @param values that were read since the last thought */
const nextThought = (values: readonly string[], next: Wanted): string =>
  [...values.map(sentence), `Next, ${wantedText(next)}`].join(' ');

/** @param facts that the answer follows from, in the order in which they were read */
const answerThought = (facts: readonly string[], answer: string): string =>
  [
    ...(facts.length > 0 ? [sentence(facts.join('; '))] : []),
    `So the answer is ${sentence(answer)}`,
  ].join(' ');

/** With a full stop, where it has none. */
const sentence = (text: string): string => (/[.?!]$/u.test(text) ? text : `${text}.`);

/** What is looked up next. */
interface Lookup {
  /** Titles of passages of which one has to be found. */
  title: string;
  /** Queries that a searcher could write, the best first. */
  queries: readonly string[];
  /** As a thought names it. */
  wanted: Wanted;
  /** The step of the chain; absent where only titles are known. */
  step?: ChainStep;
}

const isNamed = (chain: readonly ChainStep[]): boolean =>
  chain.length > 0 && chain.every(({ title }) => title !== '');

/** Words that say nothing in a query. */
const STOP_WORDS = new Set(
  'a an and are as at by did do does for from has have he her his how in is it its of on or she that the their they to was were what when where which who whom whose why will with both same more most than'.split(
    ' ',
  ),
);

const distinct = (texts: readonly string[]): string[] => [
  ...new Set(texts.map((text) => text.replaceAll(/\s+/gu, ' ').trim()).filter(Boolean)),
];

const lower = (text: string): string => text.toLowerCase();

/**
 * Answers a question by its gold evidence, turn by turn, as a searcher could who reads only what is shown: a query asks
 * for what the question or an earlier passage names, and a thought says only what they say.
 */
class GoldAuthor {
  /** Number of queries that were there to choose from, by search. */
  readonly choices: number[] = [];
  readonly #seen: SeenText;
  readonly #chain: readonly ChainStep[];
  readonly #titles: string[];
  readonly #found = new Set<string>();
  readonly #pages: FoundPage[] = [];
  /** Steps of the chain that are done. */
  #done = 0;
  #current: Lookup | null = null;
  /** Values that were read, and those of them since the last thought. */
  readonly #values: string[] = [];
  #news: string[] = [];

  constructor(
    private readonly question: Question,
    private readonly chosen: readonly number[],
    private readonly maxSearches: number,
  ) {
    const { chain = [], supporting, text } = question;
    const named = isNamed(chain);
    this.#chain = named ? chain : [];
    this.#titles = named ? [] : [...new Set(supporting)];
    this.#seen = new SeenText(text);
  }

  /** Takes what a search brought; as it is shown follows with the next turn. */
  found(pages: readonly FoundPage[]): void {
    this.#pages.push(...pages);
    for (const { title } of pages) this.#found.add(lower(title));
  }

  /** @throws GaveUp where the evidence cannot be found, or is not shown */
  turn(shown: string): Turn {
    const last = this.#current;
    if (last) this.#read(last, shown);
    else this.#readBackground(shown);
    const next = this.#next();
    if (!next) return this.#answer();
    if (this.choices.length >= this.maxSearches) throw new GaveUp('too-many-searches');
    const at = this.chosen[this.choices.length] ?? 0;
    this.choices.push(next.queries.length);
    this.#current = next;
    return {
      thought: this.#thought(last, next),
      act: { search: itemAt(next.queries, at, 'queries') },
    };
  }

  #readBackground(shown: string): void {
    this.#seen.add(shown);
    this.#finishShown(this.#chain[0]);
  }

  /** One result may answer several steps. */
  #finishShown(next: ChainStep | undefined): void {
    for (let step = next; step && this.#shows(step);) step = this.#finish(step);
  }

  #read(last: Lookup, shown: string): void {
    if (!this.#found.has(lower(last.title))) throw new GaveUp('not-retrieved');
    this.#seen.add(shown);
    if (!last.step) return;
    this.#finishShown(this.#finish(last.step));
  }

  /** @returns the next step */
  #finish(step: ChainStep): ChainStep | undefined {
    const seen = this.#seen.names(step.object);
    // Only the last value may be missing: whether the answer is shown is checked with the answer.
    if (!seen && this.#done < this.#chain.length - 1) throw new GaveUp('not-shown');
    if (seen) {
      this.#values.push(step.object);
      this.#news.push(step.object);
    }
    return this.#chain[++this.#done];
  }

  #shows = ({ title, object }: ChainStep): boolean =>
    this.#found.has(lower(title)) && this.#seen.names(object);

  #next(): Lookup | null {
    const step = this.#chain[this.#done];
    if (step) return this.#stepLookup(step);
    const left = this.#titles.filter((title) => !this.#found.has(lower(title)));
    if (left.length === 0) return null;
    const known = left
      .map((title) => ({ title, place: this.#seen.placeOf(plainTitle(title)) }))
      .filter(({ place }) => place >= 0)
      .toSorted((a, b) => a.place - b.place)[0];
    if (!known) throw new GaveUp('not-knowable');
    return this.#titleLookup(known.title);
  }

  #stepLookup(step: ChainStep): Lookup {
    const { subject, relation, query, betterQuery, title } = step;
    if (subject !== '' && !this.#seen.names(subject)) throw new GaveUp('not-knowable');
    const plain = plainTitle(title);
    return {
      title,
      queries: distinct([
        bare(query),
        ...(betterQuery === undefined ? [] : [betterQuery]),
        ...(this.#seen.names(title) ? [title] : []),
        ...(this.#seen.names(plain) ? [plain] : []),
        ...(subject === '' ? [] : [subject]),
        keywords(query).join(' '),
      ]),
      wanted:
        subject === '' || relation === '' || RELATION_ID.test(relation)
          ? { kind: 'question', text: bare(query) }
          : { kind: 'relation', subject, relation },
      step,
    };
  }

  #titleLookup(title: string): Lookup {
    const plain = plainTitle(title);
    const kind = title.slice(plain.length).replaceAll(/[()]/gu, ' ');
    const inQuestion = new SeenText(this.question.text);
    const told = kind.split(/\s+/u).filter((word) => inQuestion.names(word));
    const about = keywords(this.question.text).filter((word) => !new SeenText(plain).names(word));
    return {
      title,
      queries: distinct([
        this.#seen.names(title) ? title : plain,
        `${plain} ${told.join(' ')}`,
        plain,
        `${plain} ${about.slice(0, 4).join(' ')}`,
      ]),
      wanted: { kind: 'title', title: plain },
    };
  }

  #thought(last: Lookup | null, next: Lookup): string {
    return last || this.#news.length > 0
      ? nextThought(this.#news.splice(0), next.wanted)
      : openingThought(next.wanted);
  }

  #answer(): Turn {
    const { answers } = this.question;
    const answer = answers.find((one) => isClosed(one) || this.#seen.names(one));
    if (answer === undefined) throw new GaveUp('answer-not-shown');
    const { text, supporting } = this.question;
    const compared = { text, answer, supporting };
    const pair = comparedPair(compared, this.#pages, this.#seen);
    const lines = pair && (comparedDates(compared, pair) ?? comparedCountries(compared, pair));
    return { thought: answerThought(lines ?? this.#values, answer), act: { answer } };
  }
}

/** Most searches of a question without evidence: the more of them, the more often a passage names the answer by chance. */
const HOPS = 2;

/** Runs of capitalised words. */
const NAME = /\p{Lu}[\p{L}\p{M}\p{N}'’-]*(?:\s+\p{Lu}[\p{L}\p{M}\p{N}'’-]*)*/gu;

/** Most words of the question that a query has beside a name. */
const ABOUT = 4;

/**
 * Answers a question of which only the answer is known: it searches for the question, then for a name that a passage
 * brought, until a passage names the answer, which it may do for another reason.
 */
class AnswerAuthor {
  readonly choices: number[] = [];
  readonly #shown = new SeenText('');
  #names: string[] = [];

  /** @param answers that passages seldom name by chance: not yes or no, and not named in the question */
  constructor(
    private readonly question: Question,
    private readonly answers: readonly string[],
    private readonly chosen: readonly number[],
    private readonly maxSearches: number,
  ) {}

  found(pages: readonly FoundPage[]): void {
    const asked = new SeenText(this.question.text);
    const runs = pages.flatMap(({ text }) => text.match(NAME) ?? []);
    const names = distinct(runs.map((run) => run.split(/\s+/).slice(opensWith(run)).join(' ')));
    // A name of several words is seldom another's.
    this.#names = names
      .filter((name) => name !== '' && !asked.names(name))
      .toSorted((a, b) => Number(b.includes(' ')) - Number(a.includes(' ')));
  }

  /** @throws GaveUp where no passage names the answer */
  turn(shown: string): Turn {
    const search = this.choices.length;
    this.#shown.add(shown);
    const answer = this.answers.find((one) => this.#shown.names(one));
    if (answer !== undefined) return { thought: answerThought([], answer), act: { answer } };
    const lookups = search === 0 ? this.#first() : this.#second();
    if (search >= Math.min(HOPS, this.maxSearches) || lookups.length === 0)
      throw new GaveUp('answer-not-shown');
    this.choices.push(lookups.length);
    const { query, wanted } = itemAt(lookups, this.chosen[search] ?? 0, 'queries');
    const thought = search === 0 ? openingThought(wanted) : nextThought([], wanted);
    return { thought, act: { search: query } };
  }

  #first(): { query: string; wanted: Wanted }[] {
    const text = bare(this.question.text);
    return [{ query: text, wanted: { kind: 'question', text } }];
  }

  #second(): { query: string; wanted: Wanted }[] {
    const about = keywords(this.question.text).filter((word) => !/^\p{Lu}/u.test(word));
    return this.#names.map((title) => ({
      query: [title, ...about.slice(0, ABOUT)].join(' '),
      wanted: { kind: 'title', title },
    }));
  }
}

/** Number of words before a name that only open a sentence. */
const opensWith = (run: string): number => {
  const words = run.split(/\s+/);
  const from = words.findIndex((word) => !STOP_WORDS.has(lower(word)));
  return from < 0 ? words.length : from;
};

/**
 * Who answers a question in demonstrations, turn by turn.
 * @param chosen which query each search takes, by its place among those that a searcher could write; 0 where absent
 * @param maxSearches of the recipe
 * @returns null for a question without evidence whose answer passages could name by chance
 */
export function authorOf(
  question: Question,
  chosen: readonly number[],
  maxSearches: number,
): GoldAuthor | AnswerAuthor | null {
  const { chain = [], supporting, text, answers } = question;
  if (isNamed(chain) || supporting.length > 0) return new GoldAuthor(question, chosen, maxSearches);
  const asked = new SeenText(text);
  const telling = answers.filter((one) => !isClosed(one) && !asked.names(one));
  return telling.length > 0 ? new AnswerAuthor(question, telling, chosen, maxSearches) : null;
}

/** An identifier of a relation, such as `company.foundingYear`, and not words. */
const RELATION_ID = /^\p{L}+\.\p{L}+$/u;

/** A query without the mark that ends a question. */
const bare = (query: string): string => query.replace(/[\s?]+$/u, '');

const keywords = (text: string): string[] =>
  text.split(/[^\p{L}\p{N}'’-]+/u).filter((word) => word !== '' && !STOP_WORDS.has(lower(word)));
