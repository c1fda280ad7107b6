import { lastOf } from '../../base/items.ts';
import type { SourceName } from '../../records/hits.ts';
import type { RecipeSettings } from '../../recipes/parts/settings.ts';
import type { Mentions } from '../../retrieval/lexical/mentions.ts';
import { terms } from '../../retrieval/lexical/text.ts';

/**
 * Names of a question that no passage mentions: what is then answered about them is invented. It says
 * nothing sooner than something wrong: where words may be ordinary ones, or cannot be looked up, they
 * are taken for known.
 */

const NAME = /\p{Lu}[\p{L}\p{M}\p{N}'’&-]*(?:\s+\p{Lu}[\p{L}\p{M}\p{N}'’&-]*)*/gu;
const POSSESSIVE = /['’]s$/u;
// The full stop of an initial ends no sentence.
const SENTENCE_END = /(?:^|[?!:]["'”’)]*|(?<!(?<!\p{L})\p{Lu})\.["'”’)]*)\s*["'“‘(]*$/u;

// Written with a capital, and no names of anything that a corpus would have to know.
const ORDINARY = new Set(
  `i january february march april may june july august september october november december
   monday tuesday wednesday thursday friday saturday sunday mr mrs ms dr`.split(/\s+/),
);
// With a capital they open a sentence, or stand in a question in Title Case.
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

/** A name as it is written, its words, and what else may be the name. */
interface NameInQuestion {
  text: string;
  /** Any of these is the name; one that passages mention is enough. */
  readings: string[][];
}

const withoutLittle = (words: readonly string[]): string[] => {
  const from = words.findIndex((word) => !LITTLE.has(word.toLowerCase()));
  return from < 0 ? [] : words.slice(from);
};

/** Runs of two words or more in a longer run: "Besides Little Rock" names Little Rock. */
const shorter = (words: readonly string[]): string[][] =>
  words.flatMap((_, from) =>
    words.flatMap((__, last) => (last > from ? [words.slice(from, last + 1)] : [])),
  );

/** Whether the word that opens a sentence is a name, which nothing but its place can tell. */
const isSubject = (word: string, rest: string): boolean =>
  !STAND_INS.has(word.replace(POSSESSIVE, '').toLowerCase()) &&
  (POSSESSIVE.test(word) || PREDICATE.test(rest));

/** Each reading that has words, once, in order. */
const distinct = (readings: readonly string[][]): string[][] => [
  ...new Map(
    readings.filter((words) => words.length > 0).map((words) => [words.join(' '), words]),
  ).values(),
];

/**
 * Runs of capitalised words. The word that opens a sentence has its capital anyway: alone it is a name
 * where it is the sentence's subject or has a possessive 's, and before others it may belong to them or
 * not.
 */
export function namesOfQuestion(asked: string): NameInQuestion[] {
  // The letters of options, "A) Oststad B) Halfurt", part names and are in none.
  const question = asked.replaceAll(/\s[A-Z]\)(?=\s)/gu, ',');
  // All capitals tell nothing.
  if (!/\p{Ll}/u.test(question)) return [];
  return [...question.matchAll(NAME)].flatMap((match): NameInQuestion[] => {
    const opens = SENTENCE_END.test(question.slice(0, match.index));
    const end = match.index + match[0].length;
    const written = match[0].split(/\s+/);
    const own = withoutLittle(written);
    const opener = opens && own.length === written.length;
    const alone = opener && own.length === 1;
    if (own.length === 0 || (alone && !isSubject(match[0], question.slice(end)))) return [];
    const runs = [own, ...(opener ? [own.slice(1)] : []), ...shorter(own)];
    const readings = distinct(runs.map((run) => terms(run.join(' '))));
    const name = readings[0] ?? [];
    const tells = name.some((word) => word.length > 1 && !ORDINARY.has(word));
    return tells ? [{ text: own.join(' ').replace(POSSESSIVE, ''), readings }] : [];
  });
}

/** The words by which names of these questions are looked up. */
export const wordsOfNames = (questions: readonly string[]): Set<string> =>
  new Set(
    questions.flatMap((question) =>
      namesOfQuestion(question).flatMap(({ readings }) => readings.flat()),
    ),
  );

/** Sources that a rollout with these settings may ask. */
export function sourcesInUse({ loop, retrieval, background }: RecipeSettings): SourceName[] {
  if (loop === 'naive-generation') return [];
  const asked = [
    ...(retrieval.maxSearches > 0 || loop === 'naive-rag' ? [retrieval.source] : []),
    ...(background.mode === 'off' ? [] : [background.source]),
  ];
  // A tag of the policy's own may name either.
  const tagged = loop === 'agent' && retrieval.maxSearches > 0 && retrieval.honourTags;
  const wide = tagged || asked.some((source) => source === 'both' || source === 'router');
  return (['local', 'web'] as const).filter((source) => wide || asked.includes(source));
}

/**
 * Names of the question that no passage of these sources mentions, as they are written there.
 *
 * @param sources what is asked; null for one that cannot tell, such as a search engine: nothing is then
 *   called unknown
 */
export async function unknownNames(
  question: string,
  sources: readonly (Mentions | null)[],
  signal?: AbortSignal,
): Promise<string[]> {
  const known = sources.flatMap((source) => source ?? []);
  if (known.length === 0 || known.length < sources.length) return [];
  const some = async (ask: (source: Mentions) => Promise<boolean>): Promise<boolean> => {
    for (const source of known) if (await ask(source)) return true;
    return false;
  };
  const isKnown = async ({ readings }: NameInQuestion): Promise<boolean> => {
    for (const words of readings)
      if (await some((source) => source.together(words, signal))) return true;
    const [[word = '', ...others] = []] = readings;
    // One word alone is often a slip, "Brittish", or an adjective of a name.
    return others.length === 0 && some((source) => source.almost(word, signal));
  };
  const unknown: string[] = [];
  for (const name of namesOfQuestion(question))
    if (!unknown.includes(name.text) && !(await isKnown(name))) unknown.push(name.text);
  return unknown;
}

/** What is said of unknown names, in one sentence; there is at least one. */
export function describeUnknown(names: readonly string[]): string {
  const quoted = names.map((name) => `“${name}”`);
  const last = lastOf(quoted, 'names');
  const others = quoted.slice(0, -1);
  const list = others.length === 0 ? last : `${others.join(', ')} or ${last}`;
  return `No passage that can be searched mentions ${list}: what is answered about ${names.length === 1 ? 'it' : 'them'} has no support there.`;
}
