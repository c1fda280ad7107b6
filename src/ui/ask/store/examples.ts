import type { QuestionRow } from '../../../lab/contract/ask.ts';
import { filterQuestions, NO_FILTER } from './filters.ts';

/**
 * Sample questions of the built-in world; the first one is asked by the first click, and recorded before and after a
 * training (`scripts/record-hero.ts`). It ends right and uses both sources; of the second one STIE refuses a query,
 * after which the policy finds another name. All are from the dev split, which is used neither for training nor for
 * measurements. They were chosen by `npx tsx scripts/examples.ts`, to be repeated for new weights of the policy.
 */
export const EXAMPLES = [
  'What is the birth year of the person who first won the Borzar Medal?',
  'Which film did Leon Norrath direct with Elena Belner as its star?',
  'In which year was the person who runs Mongrad born?',
  'Of the star of the film Velvet Lantern and the star of the film Waking Theatre, who was born earlier?',
  'In which field is the award that Joan Lorbach won given?',
  'Is 1942 the release year of the film Crimson Child?',
  'What is the birth city of Enzo Falsky?',
];

/** The sample questions in the list; in other lists a two-hop question, which shows dependent searches. */
export const examplesOf = (rows: readonly QuestionRow[]): QuestionRow[] => {
  const found = EXAMPLES.flatMap((text) => rows.find((row) => row.text.startsWith(text)) ?? []);
  if (found.length > 0) return found;
  const [other = rows[0]] = filterQuestions(rows, {
    ...NO_FILTER,
    hops: 2,
    type: 'bridge',
    split: 'test',
  });
  return other ? [other] : [];
};
