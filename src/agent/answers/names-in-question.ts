import { foldText, terms } from '../../retrieval/lexical/text.ts';
import { isOrdinary } from './ordinary-words.ts';

/**
 * The names that a question asks about. With capitals, names are the runs of capitalised words. In a question
 * written without capitals, or in capitals only, they are the words that are not ordinary English ones.
 */

/** A name as it is written, and the words by which it is looked up. */
export interface NameInQuestion {
  text: string;
  /** Any of these is the name; one that passages mention is enough. */
  readings: string[][];
  /** Its words may be of several names, and are known where passages mention each of them. */
  apart?: true;
}

const WORD = String.raw`\p{Lu}[\p{L}\p{M}\p{N}'’&-]*`;
/** "6th", and "6Th" where a program gave each word a capital. */
const ORDINAL = String.raw`\p{N}+(?:[Ss]t|[Nn]d|[Rr]d|[Tt]h)(?=\s+${WORD})`;
const NAME = new RegExp(
  String.raw`(?<![\p{L}\p{M}\p{N}])(?:${ORDINAL}\s+)?${WORD}(?:\s+(?:${WORD}|${ORDINAL}))*`,
  'gu',
);
/** What joins the words of a title: "Gone with the Wind". */
const CONNECTED = /^\s+(?:of|with|in|to|for|on|at|from|by)(?:\s+(?:the|a|an))?\s+$/u;
const POSSESSIVE = /['’]s$/u;
// The full stop of an initial ends no sentence.
const SENTENCE_END = /(?:^|[?!:]["'”’)]*|(?<!(?<!\p{L})\p{Lu})\.["'”’)]*)\s*["'“‘(]*$/u;

// Written with a capital, and no names of anything that a corpus would have to know.
const CALENDAR = new Set(
  `i january february march april may june july august september october november december
   monday tuesday wednesday thursday friday saturday sunday mr mrs ms dr`.split(/\s+/),
);
// With a capital they open a sentence, or belong to a question in Title Case.
const LITTLE = new Set(
  `a an the of in on at to by for from with and or but if as than then while during within between about
   besides unlike is are was were be do does did has have had can could should would will who whose whom
   what which where when why how both first last many much it its he she they his her their this that
   these those there name tell give list find write say state show describe explain summarize compare
   identify please`.split(/\s+/),
);

// Capitalised subjects of a sentence that name nobody.
const STAND_INS = new Set(
  `we you i someone somebody something anyone anybody anything everyone everybody everything nobody
   nothing none neither either each every any some all most more few another other others such same one
   two three four five six seven eight nine ten not no yes now today yesterday tomorrow tonight also so
   yet still again once never always often ever maybe perhaps really actually currently only just even
   after before since until because although though unless through throughout under over near here`.split(
    /\s+/,
  ),
);
/** What follows a subject: an auxiliary, or a past tense with its object ("films directed by" has none). */
const PREDICATE =
  /^\s+(?:(?:is|was|has|had|does|did|can|could|will|would|should|might|must)(?!\p{L})|(?:\p{Ll}+ed|born|wrote|won|made|built|led|became|began|taught)\s+(?:the|an?|his|her|its|what|which|whom?|where|when|how)(?!\p{L}))/u;

const isOrdinaryWritten = (word: string): boolean =>
  terms(word).every((term) => isOrdinary(term) || LITTLE.has(term));

const withoutLittle = (words: readonly string[]): string[] => {
  const from = words.findIndex((word) => !LITTLE.has(word.toLowerCase()));
  return from < 0 ? [] : words.slice(from);
};

/** The run without ordinary words before it: "Wrote Old Wolf" in Title Case names Old Wolf. */
const withoutLead = (words: readonly string[]): string[][] => {
  const first = words.findIndex((word) => !isOrdinaryWritten(word));
  const most = first < 0 ? words.length - 2 : first;
  return words.flatMap((_, from) => (from > 0 && from <= most ? [words.slice(from)] : []));
};

/** Whether the word that opens a sentence is a name, which only its place can tell. */
const isSubject = (word: string, rest: string): boolean =>
  !STAND_INS.has(word.replace(POSSESSIVE, '').toLowerCase()) &&
  (POSSESSIVE.test(word) || PREDICATE.test(rest));

/** Each reading that has words, once, in order. */
const distinct = (readings: readonly string[][]): string[][] => [
  ...new Map(
    readings.filter((words) => words.length > 0).map((words) => [words.join(' '), words]),
  ).values(),
];

/** A run of capitalised words, without what opens a sentence or a title. */
interface Run {
  words: string[];
  from: number;
  to: number;
  /** It begins a sentence, so that its first word has a capital in any case. */
  opens: boolean;
  /** A single ordinary word: a name only as part of a longer one. */
  weak: boolean;
}

const runsOf = (question: string): Run[] =>
  [...question.matchAll(NAME)].flatMap((match): Run[] => {
    const written = match[0].split(/\s+/);
    const words = withoutLittle(written);
    const word = words[0];
    if (word === undefined) return [];
    const opens =
      SENTENCE_END.test(question.slice(0, match.index)) && words.length === written.length;
    const to = match.index + match[0].length;
    return [
      {
        words,
        from: to - words.join(' ').length,
        to,
        opens,
        weak: words.length === 1 && isOrdinaryWritten(word),
      },
    ];
  });

/** Runs of ordinary words that a title joins, as one: "Gone with the Wind" is neither Gone nor Wind. */
const joined = (runs: readonly Run[], question: string): Run[] => {
  const out: Run[] = [];
  for (const run of runs) {
    const before = out.at(-1);
    const between = before && question.slice(before.to, run.from);
    if (!before?.weak || !run.weak || between === undefined || !CONNECTED.test(between)) {
      out.push(run);
      continue;
    }
    const words = question.slice(before.from, run.to).split(/\s+/);
    out.splice(-1, 1, { ...before, words, to: run.to, weak: true });
  }
  return out;
};

/** Whether each word has a capital that can have one in Title Case. */
const isTitleCase = (question: string): boolean =>
  question
    .split(/\s+/)
    .every((word) => LITTLE.has(word.toLowerCase()) || !/^["'“‘(]*\p{Ll}/u.test(word));

const namesWithCapitals = (question: string): NameInQuestion[] => {
  const title = isTitleCase(question);
  return joined(runsOf(question), question).flatMap(({ words, to, opens }): NameInQuestion[] => {
    const [word = '', ...others] = words;
    if (opens && others.length === 0 && !isSubject(word, question.slice(to))) return [];
    const readings = distinct(
      [words, ...(opens || title ? withoutLead(words) : [])].map((run) => terms(run.join(' '))),
    );
    const isTelling = (term: string): boolean =>
      term.length > 1 && !CALENDAR.has(term) && !/^\p{N}+$/u.test(term);
    return readings[0]?.some(isTelling)
      ? [{ text: words.join(' ').replace(POSSESSIVE, ''), readings }]
      : [];
  });
};

const LOWER_CASE_WORD = /\p{Script=Latin}[\p{Script=Latin}\p{M}'’]*/gu;
const CONTRACTION = /['’](?:t|re|ve|ll|d|m)$/u;

/** Of the words of another language, few are ordinary ones. */
const MOST_STRANGE = 2 / 3;

/** Runs of words that are not ordinary ones, in a question that is English. */
const namesWithoutCapitals = (question: string): NameInQuestion[] => {
  const words = [...question.matchAll(LOWER_CASE_WORD)].map(({ 0: written, index }) => {
    const text = written.replace(/['’]+$/u, '').replace(POSSESSIVE, '');
    const [term = '', ...others] = terms(text);
    const known = [LITTLE, STAND_INS, CALENDAR].some((list) => list.has(term));
    const ordinary =
      known || isOrdinary(term) || CONTRACTION.test(written) || others.some(isOrdinary);
    return { ordinary, from: index, to: index + text.length };
  });
  const strange = words.filter(({ ordinary }) => !ordinary);
  if (strange.length > MOST_STRANGE * words.length) return [];
  const spans: { from: number; to: number }[] = [];
  for (const { from, to } of strange) {
    const before = spans.at(-1);
    if (before && /^[\s-]+$/u.test(question.slice(before.to, from))) before.to = to;
    else spans.push({ from, to });
  }
  return spans.map(({ from, to }) => {
    const text = question.slice(from, to);
    return { text, readings: [terms(text)], apart: true };
  });
};

/**
 * The names of a question, as they are written. The word that opens a sentence has its capital anyway: alone it
 * is a name where it is the sentence's subject or has a possessive 's.
 */
export function namesOfQuestion(asked: string): NameInQuestion[] {
  // The letters of options, "A) Oststad B) Halfurt", part names and are in none.
  const question = asked.replaceAll(/\s[A-Z]\)(?=\s)/gu, ',');
  if (!/\p{Ll}/u.test(question)) return namesWithoutCapitals(foldText(question));
  const names = namesWithCapitals(question);
  // Who writes one name with a capital writes all so; the first letter of a sentence shows nothing.
  const capitals = joined(runsOf(question), question).some(({ opens }) => !opens);
  return capitals || names.length > 0 ? names : namesWithoutCapitals(question);
}
