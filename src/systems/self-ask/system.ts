import { defineDialect, PLAIN_TURN, SHORT } from '../../recipes/parts/dialect.ts';
import type { Recipe } from '../../recipes/parts/recipe.ts';
import { PROMPTED_DIFFERENCES, promptedLoop } from '../../recipes/parts/loops.ts';

/*
 * Self-Ask (arXiv 2210.03350; from FlashRAG: at most 5 follow-ups after a first search with the question).
 */

/** Self-Ask (arXiv 2210.03350, figure 3). */
defineDialect('self-ask', {
  marks: [
    { kind: 'search', open: 'Follow up:', close: 'Intermediate answer:' },
    { kind: 'short_answer', open: 'So the final answer is:', close: null },
  ],
  ...PLAIN_TURN,
  result: ['\nContext:', '\nIntermediate answer:'],
  answer: 'text-line',
  instruction: ({ retrieval }) =>
    [
      'Answer the question by asking simpler questions one after the other. Write in exactly these lines:',
      'Are follow up questions needed here: Yes.',
      'Follow up: one question that asks for one fact',
      'Intermediate answer: its answer in a few words',
      'So the final answer is: the answer',
      '',
      `Stop behind each "Intermediate answer:"; passages for your question come first, then you go on with its answer. Ask at most ${retrieval.maxSearches} of them. ${SHORT}`,
    ].join('\n'),
});

export const selfAsk: Recipe = {
  id: 'self-ask',
  version: '1',
  title: 'Self-Ask',
  summary:
    'A search with the question, then follow-up questions with intermediate answers, up to five.',
  about: {
    paper: '2210.03350',
    kind: 'not trained',
    parts: ['sub-question plan', 'first search with the question'],
    differences: [
      ...PROMPTED_DIFFERENCES,
      'Two passages per search instead of five, as in most systems here.',
      'Results of earlier follow-ups stay visible; FlashRAG shows only the latest.',
      'Passages replace the short answer of the paper’s engine; the policy writes the intermediate answer.',
      'The built-in policy gets the first passages as a background; its follow-ups are its searches.',
    ],
    sources: {
      'settings.retrieval.k': 'ours; FlashRAG: 5',
      'settings.retrieval.maxSearches': 'FlashRAG: 5 follow-ups after the first search',
    },
    expectedEffect:
      'A question with n hops takes n follow-ups and the first search; without follow-ups, bridge questions fall more than comparisons.',
  },
  settings: promptedLoop(
    'agent',
    { k: 2, maxSearches: 6 },
    {
      dialect: 'self-ask',
      method: { firstSearch: 'question' },
    },
  ),
  training: [],
};
