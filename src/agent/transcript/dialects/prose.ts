import { type Dialect, PLAIN_TURN, SHORT } from './dialect.ts';

/** Systems that are prompted with examples of lines, not with tags. */

/** Self-Ask (arXiv 2210.03350, figure 3). */
export const SELF_ASK: Dialect = {
  id: 'self-ask',
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
};

/** ReAct (arXiv 2210.03629; code: ysymyth/ReAct). */
export const REACT: Dialect = {
  id: 'react',
  marks: [
    { kind: 'search', open: 'Search[', close: ']' },
    { kind: 'lookup', open: 'Lookup[', close: ']' },
    { kind: 'short_answer', open: 'Finish[', close: ']' },
  ],
  ...PLAIN_TURN,
  result: ['\nObservation:', '\n'],
  answer: 'text',
  instruction: ({ retrieval }) =>
    [
      'Answer the question in steps of Thought, Action, Observation. A thought reasons about where you are. An action is one of:',
      '(1) Search[entity], which opens the page of that exact name and shows its first sentences, or names similar pages where there is none;',
      '(2) Lookup[text], which shows the next sentence with that text on the page you opened last;',
      '(3) Finish[answer], which gives the answer and ends.',
      '',
      'Write:',
      'Thought: what is missing',
      'Action: Search[entity]',
      '',
      `and stop; the observation comes next. You may take ${retrieval.maxSearches} steps. ${SHORT}`,
    ].join('\n'),
};

/** HRPO (arXiv 2505.18454; code: Yueeeeeeee/HRPO, hrpo_rag.py). */
export const HRPO: Dialect = {
  id: 'hrpo',
  marks: [{ kind: 'short_answer', open: '####', close: null }],
  ...PLAIN_TURN,
  result: ['\nContext:\n', '\n'],
  answer: 'text-line',
  instruction: () =>
    [
      'Answer the question by the passages given with it. First reason step by step, then write a line of the form',
      '#### the answer',
      SHORT,
    ].join('\n'),
};

const WITHOUT = 'Answer the question by thinking step by step.';

/** Chain of thought (arXiv 2201.11903), IRCoT (2212.10509) and FLARE (2305.06983): sentences, then the answer. */
export const THOUGHTS: Dialect = {
  id: 'thoughts',
  marks: [
    { kind: 'short_answer', open: 'So the answer is', close: null },
    { kind: 'short_answer', open: 'so the answer is', close: null },
  ],
  thoughtEnd: '\n',
  ...PLAIN_TURN,
  result: ['\nPassages:\n', '\n'],
  answer: 'text-line',
  instruction: ({ loop, retrieval }) =>
    [
      WITHOUT,
      'Write one short sentence a line, each a fact or a conclusion, and at the end a line of the form',
      'So the answer is: the answer',
      ...(loop === 'think' || retrieval.maxSearches === 0
        ? []
        : [
            '',
            'Passages may come between your sentences. Rely on them, and go on with the next sentence; repeat none.',
          ]),
      SHORT,
    ].join('\n'),
};
