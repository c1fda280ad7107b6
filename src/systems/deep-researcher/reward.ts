import { blocksIn, count, defineRelease } from '../../agent/released.ts';
import { PUNCTUATION } from '../../agent/answers/normalisers.ts';
import { asReleased } from '../../learn/rewards/parts/as-released.ts';
import { clause } from '../../learn/rewards/parts/clause.ts';
import { fixedReward } from '../../learn/rewards/parts/definition.ts';

/*
 * DeepResearcher (arXiv 2504.03160; code: GAIR-NLP/DeepResearcher, reward_score/format_and_f1.py): −1 where
 * the format is broken or there is no answer, else F1 over the *sets* of words of answer and gold, in lower
 * case, with ASCII punctuation as spaces and with articles. In its own format "broken" is that tags are not balanced
 * (`release`), in Forage's protocol any breach of it.
 */

/** DeepResearcher's format (GAIR-NLP/DeepResearcher, reward_score/format_and_f1.py): tags that are balanced, whatever their case. */
const DEEP_RESEARCHER_TAGS = ['tool_call', 'think', 'answer'];

export const release = defineRelease({
  dialects: ['deep-researcher'],
  // The first block; its words are compared in lower case.
  answer: ({ text }) => blocksIn(text.toLowerCase(), 'answer')[0] ?? null,
  faults: ({ text }) => {
    const lower = text.toLowerCase();
    return DEEP_RESEARCHER_TAGS.filter(
      (tag) => count(lower, `<${tag}>`) !== count(lower, `</${tag}>`),
    ).map((tag) => `<${tag}> and </${tag}> differ in number`);
  },
});

const wordsIn = (text: string): Set<string> =>
  new Set(text.toLowerCase().replace(PUNCTUATION, ' ').split(/\s+/).filter(Boolean));

/** F1 of two sets of words; 0 where either is empty. */
export function setF1(prediction: string, gold: string): number {
  const [own, wanted] = [wordsIn(prediction), wordsIn(gold)];
  const common = [...own].filter((word) => wanted.has(word)).length;
  if (common === 0) return 0;
  const [precision, recall] = [common / own.size, common / wanted.size];
  return (2 * precision * recall) / (precision + recall);
}

export const deepResearcher = fixedReward({
  id: 'deep-researcher',
  name: 'DeepResearcher',
  source: 'DeepResearcher, arXiv 2504.03160',
  range: [-1, 1],
  clauses: asReleased(release, ({ formatValid, answerText, golds, answer, faults }) => {
    const sound = formatValid && answerText !== null;
    const score = sound ? Math.max(0, ...golds.map((gold) => setF1(answerText, gold))) : 0;
    return [clause('answer', score, answer), clause('format', sound ? 0 : -1, faults.flat())];
  }),
});
