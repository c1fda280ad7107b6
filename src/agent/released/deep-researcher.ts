import { blocksIn, count } from './output.ts';
import type { Release } from './release.ts';

/** DeepResearcher's format (GAIR-NLP/DeepResearcher, reward_score/format_and_f1.py): tags that are balanced, whatever their case. */

const TAGS = ['tool_call', 'think', 'answer'];

export const deepResearcher: Release = {
  dialects: ['deep-researcher'],
  // The first block; its words are compared in lower case.
  answer: ({ text }) => blocksIn(text.toLowerCase(), 'answer')[0] ?? null,
  faults: ({ text }) => {
    const lower = text.toLowerCase();
    return TAGS.filter((tag) => count(lower, `<${tag}>`) !== count(lower, `</${tag}>`)).map(
      (tag) => `<${tag}> and </${tag}> differ in number`,
    );
  },
};
