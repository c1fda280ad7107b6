import { LAYOUTS } from '../../../formats/rollouts/importers/list.ts';
import { PROTOCOLS } from '../../../formats/rollouts/protocols/catalogue.ts';
import { LINTS } from '../lint/finding.ts';
import { ROW_NUMBER_NAMES, rowNumber } from '../row-numbers.ts';
import { END_NAMES, ENDS } from '../why.ts';
import { OUTCOME_NAMES } from '../taxonomy.ts';

/** What a filter can ask for, and by which operators. */

export type FieldKind = 'number' | 'text' | 'set' | 'segment';

export interface Field {
  name: string;
  kind: FieldKind;
  note: string;
  /** All that it can be, where that is known beforehand. */
  values?: readonly string[];
  /** What the page calls its values, where a filter holds ids. */
  names?: Readonly<Record<string, string>>;
}

export const OPERATORS: Record<FieldKind, readonly string[]> = {
  number: ['=', '!=', '<', '<=', '>', '>=', 'is'],
  text: ['=', '!=', 'contains', 'matches', 'is'],
  set: ['has', 'is'],
  segment: ['contains', 'matches', 'is'],
};

export const OPERATOR_NOTES: Record<string, string> = {
  '=': 'equal',
  '!=': 'known and not equal',
  '<': 'less than',
  '<=': 'at most',
  '>': 'more than',
  '>=': 'at least',
  is: 'is missing, is present',
  contains: 'contains a text, upper or lower case',
  matches: 'matches a regular expression',
  has: 'has a label',
};

const BITS = ['0', '1'];
const BIT_NAMES = { 0: 'no', 1: 'yes' };
const LINT_NAMES = Object.fromEntries(Object.entries(LINTS).map(([id, { title }]) => [id, title]));
const numbers = ROW_NUMBER_NAMES.map((name): Field => {
  const { note, bit } = rowNumber(name);
  return { name, kind: 'number', note, ...(bit && { values: BITS, names: BIT_NAMES }) };
});

const TEXTS: readonly Field[] = [
  { name: 'id', kind: 'text', note: 'id of the rollout' },
  { name: 'run', kind: 'text', note: 'run, or file' },
  { name: 'group', kind: 'text', note: 'rollouts of one question at one step' },
  { name: 'question', kind: 'text', note: 'text of the question' },
  { name: 'answer', kind: 'text', note: 'the answer as it was extracted' },
  { name: 'recipe', kind: 'text', note: 'recipe of the rollout' },
  { name: 'policy', kind: 'text', note: 'model that wrote it' },
  { name: 'layout', kind: 'text', note: 'layout of the file', values: LAYOUTS },
  {
    name: 'protocol',
    kind: 'text',
    note: 'tag protocol',
    values: PROTOCOLS.map(({ id }) => id),
  },
  {
    name: 'outcome',
    kind: 'text',
    note: 'how it ended, scored by the judge or else by EM',
    values: Object.keys(OUTCOME_NAMES),
    names: OUTCOME_NAMES,
  },
  { name: 'gold', kind: 'text', note: 'gold answers' },
  {
    name: 'ended',
    kind: 'text',
    note: 'stage where it was lost: asked, found, read, answered',
    values: END_NAMES,
    names: ENDS,
  },
  { name: 'why', kind: 'text', note: 'why it is wrong, in one sentence' },
];

const SETS: readonly Field[] = [
  { name: 'tags', kind: 'set', note: 'your tags' },
  {
    name: 'lint',
    kind: 'set',
    note: 'what the checks found',
    values: Object.keys(LINTS),
    names: LINT_NAMES,
  },
];

/** Text of segments; the first four by who wrote it, the others by role. */
const SEGMENTS: readonly Field[] = [
  { name: 'text', kind: 'segment', note: 'any text' },
  { name: 'prompt', kind: 'segment', note: 'the prompt' },
  { name: 'written', kind: 'segment', note: 'all text of the model' },
  { name: 'read', kind: 'segment', note: 'all text of the environment' },
  { name: 'think', kind: 'segment', note: 'thoughts' },
  { name: 'search', kind: 'segment', note: 'queries' },
  { name: 'result', kind: 'segment', note: 'results' },
  { name: 'background', kind: 'segment', note: 'background passages' },
  { name: 'hint', kind: 'segment', note: 'hints of the environment' },
  { name: 'refine', kind: 'segment', note: 'refinements (AutoRefine)' },
  { name: 'evidence', kind: 'segment', note: 'quoted evidence (R-Search)' },
];

export const FIELDS: readonly Field[] = [...numbers, ...TEXTS, ...SETS, ...SEGMENTS];

const byName = new Map(FIELDS.map((field) => [field.name, field]));

/** `cover_em` is how our records write it. */
const canonical = (name: string): string => name.toLowerCase().replaceAll('_', '-');

/** The field of a name; `reward.CLAUSE` is the part of one clause in the reward. Null for no field. */
export function fieldOf(name: string): Field | null {
  const found = byName.get(canonical(name));
  if (found) return found;
  const clause = /^reward\.(.+)$/i.exec(name)?.[1];
  return clause === undefined
    ? null
    : { name: `reward.${clause}`, kind: 'number', note: `clause ${clause} of the reward` };
}
