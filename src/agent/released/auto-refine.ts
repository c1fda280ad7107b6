import { blocksIn } from './output.ts';
import type { Release } from './release.ts';

/** AutoRefine (syr-cn/AutoRefine, reward_score/qa_em.py) asks for a closed answer and for no other format. */

const lastAnswer = (text: string): string | null => blocksIn(text, 'answer').at(-1) ?? null;

export const autoRefine: Release = {
  dialects: ['auto-refine'],
  answer: ({ text }) => lastAnswer(text),
  faults: ({ text }) => (lastAnswer(text) === null ? ['there is no closed answer'] : []),
};
