import { readProseAnswer } from '../transcript/boxed.ts';
import { blocksIn, count } from './output.ts';
import { CHINESE } from './r1-searcher.ts';
import { faultsAmong, type Release } from './release.ts';

/** UR²'s format for open-domain questions (Tsinghua-dhy/UR2, UR2_RL/train/reward_server_qwen_*_rag_stage*.py). */

/** A query may have 20 words, an output four queries, an answer ten words or as many as the longest gold answer. */
const QUERY_WORDS = 20;
const QUERIES = 4;
const ANSWER_WORDS = 10;

const wordsOf = (text: string): number => text.split(/\s+/).filter(Boolean).length;

const SEARCH_TAGS = ['query', 'documents'].flatMap((what) => [
  `<|begin_of_${what}|>`,
  `<|end_of_${what}|>`,
]);

/**
 * From the first `\boxed{` of a line to its last brace, of the last line that has one; else the letter of an option. So
 * two boxes on a line are one answer, and so is a box with what braces follow it.
 */
function stated(text: string): string | null {
  const boxed = [...text.matchAll(/\\boxed\{(.*)\}/g)].at(-1)?.[1];
  return boxed?.trim() ?? /[Tt]he correct answer is:\s*([A-J])/.exec(text)?.[1] ?? null;
}

const answerIn = (text: string): string | null =>
  stated(text) ?? blocksIn(text, 'answer').at(-1) ?? null;

const queriesIn = (text: string): string[] =>
  [...text.matchAll(/<\|begin_of_query\|>([\s\S]*?)<\|end_of_query\|>/g)].map(
    ([, query = '']) => query,
  );

/**
 * What the paper says of its format: queries and what was found are closed, a query has fewer than 20 words, and an answer
 * is in a box or after the phrase. A query that brought nothing is not a fault.
 */
export const ur2Paper: Release = {
  dialects: ['ur2'],
  answer: ({ text }) => readProseAnswer(text, 'the correct answer is:'),
  faults: ({ text }) => {
    const [queries = 0, ended = 0, found = 0, shown = 0] = SEARCH_TAGS.map((tag) =>
      count(text, tag),
    );
    const all = queriesIn(text);
    return [
      ...all.flatMap((query) => (query.trim() === '' ? ['a query is empty'] : [])),
      ...all.flatMap((query) =>
        wordsOf(query) < QUERY_WORDS ? [] : [`a query has ${QUERY_WORDS} words or more`],
      ),
      ...faultsAmong({
        'a query is not closed': queries !== ended,
        'it wrote what only a search finds': found !== shown || found > queries,
        'there is no answer': readProseAnswer(text, 'the correct answer is:') === null,
      }),
    ];
  },
};

/** As released. */
export const ur2: Release = {
  dialects: ['ur2'],
  answer: ({ text }) => answerIn(text),
  faults: ({ text, written }, golds) => {
    const [queries = 0, ...others] = SEARCH_TAGS.map((tag) => count(text, tag));
    const long = queriesIn(text).filter((query) => wordsOf(query) > QUERY_WORDS);
    const longest = Math.max(ANSWER_WORDS, ...golds.map(wordsOf));
    return [
      ...long.map(() => `a query has more than ${QUERY_WORDS} words`),
      ...faultsAmong({
        'a query is not closed or not answered': others.some((one) => one !== queries),
        [`there are more than ${QUERIES} queries`]: queries > QUERIES,
        'it holds Chinese characters': CHINESE.test(written),
        'the answer is not in a box': stated(text) === null,
        [`the answer has more than ${longest} words`]: wordsOf(answerIn(text) ?? '') > longest,
      }),
    ];
  },
};
