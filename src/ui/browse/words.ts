import type { Outcome } from '../../evaluate/inspect/index.ts';

/** Names of outcomes, what they mean, and the colours that charts give them. */
export const OUTCOMES: Record<Outcome, { name: string; note: string; colour: number }> = {
  'right-with-evidence': {
    name: 'right, with evidence',
    note: 'Right, and a gold answer stands in what was read.',
    colour: 2,
  },
  'right-without-evidence': {
    name: 'right, without evidence',
    note: 'Right, though no gold answer stands in what was read: memory, a guess, or other words.',
    colour: 7,
  },
  'right-closed': {
    name: 'right, yes or no',
    note: 'Right on a question whose answer is yes or no; whether it was retrieved cannot be told by words.',
    colour: 0,
  },
  'wrong-closed': {
    name: 'wrong, yes or no',
    note: 'Wrong on a question whose answer is yes or no.',
    colour: 3,
  },
  'not-scored': {
    name: 'not scored',
    note: 'The answer cannot be read: no protocol says where it stands. In no mean.',
    colour: 4,
  },
  'no-answer': { name: 'no answer', note: 'Nothing was given as an answer.', colour: 4 },
  'no-search': { name: 'wrong, never searched', note: 'Wrong, and nothing was asked.', colour: 5 },
  'not-retrieved': {
    name: 'wrong, not retrieved',
    note: 'Wrong, and no result held a gold answer: queries or retriever failed.',
    colour: 1,
  },
  'retrieved-not-used': {
    name: 'wrong though retrieved',
    note: 'Wrong, though a result held a gold answer: reading or reasoning failed.',
    colour: 6,
  },
};

export const outcomeName = (outcome: Outcome | null): string =>
  outcome === null ? '–' : OUTCOMES[outcome].name;
