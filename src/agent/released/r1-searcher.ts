import { blocksIn, count } from './output.ts';
import { faultsAmong, type Release } from './release.ts';

/**
 * R1-Searcher's formats (RUCAIBox/R1-Searcher, train/reward_server_*.py). Its prompts end with `<think>`, so that an
 * output opens no thought; one at its very beginning is taken for the prompt's.
 */

const opened = (text: string): string => text.replace(/^\s*<think>/, '');

/** Tags of searches, as its servers count them: what was found begins with a number, and a blank line follows it. */
const SEARCH_TAGS = [
  '<|begin_of_query|>',
  '<|end_of_query|>',
  '<|begin_of_documents|>\n(1)',
  '<|end_of_documents|>\n\n',
];

const evenSearches = (text: string): boolean => {
  const [first = 0, ...others] = SEARCH_TAGS.map((tag) => count(text, tag));
  return others.every((one) => one === first);
};

/** Whether it searched, and every query was closed and found something. */
export const retrieved = (text: string): boolean =>
  text.includes('<|begin_of_query|>') && evenSearches(text);

/** One thought, closed, and one answer, closed. */
const onePair = (text: string): boolean =>
  count(opened(text), '<think>') === 0 &&
  ['</think>', '<answer>', '</answer>'].every((tag) => count(text, tag) === 1);

const answerIn = (text: string): string | null => blocksIn(text, 'answer')[0] ?? null;

export const CHINESE = /[\u4E00-\u9FFF]/u;

/** Stage 1. */
export const r1SearcherFirst: Release = {
  dialects: ['r1-searcher'],
  answer: ({ text }) => answerIn(text),
  faults: ({ text }) => (onePair(text) ? [] : ['there is not exactly one thought and one answer']),
};

/** Stage 2. What the policy wrote is searched for Chinese and for "assistant", the text that it read is not. */
export const r1Searcher: Release = {
  dialects: ['r1-searcher'],
  answer: ({ text }) => answerIn(text),
  faults: ({ text, written }) => {
    const answer = answerIn(text);
    return faultsAmong({
      'there is not exactly one thought and one answer': !onePair(text),
      'a query is not closed, or found nothing': !evenSearches(text),
      'a search tag is in the answer': /<\|(?:begin|end)_of_/.test(answer ?? ''),
      'it holds Chinese characters': CHINESE.test(written),
      'it holds the word "assistant"': /assistant/i.test(written),
    });
  },
};
