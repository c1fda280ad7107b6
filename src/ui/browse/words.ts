import type { Outcome } from '../../evaluate/inspect/index.ts';
import type { FileRecord } from '../../runs/inspection/index.ts';

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

/** What stands behind a count of rollouts of a file; nothing where the file was read to its end. */
export const PARTIAL: Record<FileRecord['status'], string> = {
  ready: '',
  importing: ' so far',
  interrupted: ', not all',
};

/** The same in a sentence, over what is counted of a selection. */
export const PARTIAL_NOTE: Record<FileRecord['status'], string | null> = {
  ready: null,
  importing: 'Counted over what is read so far; the file is still being read.',
  interrupted: 'Counted over what was read; the file was not read to its end.',
};
