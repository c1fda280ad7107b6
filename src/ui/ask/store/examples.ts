import type { QuestionRow } from '../../../lab/contract/ask.ts';
import { filterQuestions, NO_FILTER } from './filters.ts';

/**
 * Questions of the built-in world that Ask offers to a visitor, the first to whoever presses Run: it
 * ends right, by both sources; on the way STIE refuses a query, after which the policy finds another name. All are of
 * the dev split: nothing was trained on them, and nothing is measured on them. They were chosen by running
 * `npx tsx scripts/examples.ts`, which is to be done again for other weights of the policy.
 */
export const EXAMPLES = [
  'Which film did Leon Norrath direct with Elena Belner as its star?',
  'In which year was the person who runs Mongrad born?',
  'What is the birth year of the person who first won the Borzar Medal?',
  'Of the star of the film Velvet Lantern and the star of the film Waking Theatre, who was born earlier?',
  'In which field is the award that Joan Lorbach won given?',
  'Is 1942 the release year of the film Crimson Child?',
  'What is the birth city of Enzo Falsky?',
];

/** Those of the list that are offered; in a list without them one of two hops, which shows a search that depends on another. */
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
