import { itemAt } from '../../../base/items.ts';

/** Names of files of rollouts, and of the runs that they make; nothing else is imported with them. */

const ENDING = /\.(?:jsonl|ndjson|json|parquet|eval)(?:\.gz)?$/i;

/** Names that files of rollouts have; in a folder only these are looked at. */
export const isRolloutName = (name: string): boolean => !name.startsWith('.') && ENDING.test(name);

/** A name as it goes into those of files made of it: `x` of x.jsonl.gz. */
export const withoutEnding = (name: string): string => name.replace(ENDING, '');

const byNumbers = new Intl.Collator('en', { numeric: true });

/** By names, numbers in them by their value: 2.jsonl before 10.jsonl, as steps follow each other. */
export const inStepOrder = <T extends { name: string }>(files: readonly T[]): T[] =>
  files.toSorted((a, b) => byNumbers.compare(a.name, b.name));

/** Names that trainers give to the file of a step: 12.jsonl, step_12.json, completions_00012.parquet. */
const STEP_NAME =
  /^(?:(?:global[_-]?)?step[_-]?|iter(?:ation)?[_-]?|completions[_-])?\d+\.(?:jsonl|ndjson|json|parquet)(?:\.gz)?$/i;

/** Whether files that lie side by side are the steps of one run, and not runs of their own. */
export const areSteps = (names: readonly string[]): boolean =>
  names.length > 1 && names.every((name) => STEP_NAME.test(name));

/** What a run is called that is made of files: its folder, else its first file and how many more. */
export function runName(files: readonly { name: string }[], folder = ''): string {
  const first = itemAt(inStepOrder(files), 0, 'files').name;
  if (files.length === 1) return first;
  return folder === '' ? `${first} and ${files.length - 1} more` : folder;
}
