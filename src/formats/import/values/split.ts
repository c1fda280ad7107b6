/** Which split a file itself puts a question in. */

export type SplitName = 'train' | 'dev' | 'test';

/** The field that is read unless another is named. */
export const SPLIT_FIELD = 'split';

/** The words of data sets for the three. */
const NAMES: Readonly<Record<string, SplitName>> = {
  train: 'train',
  training: 'train',
  dev: 'dev',
  development: 'dev',
  val: 'dev',
  valid: 'dev',
  validation: 'dev',
  heldout: 'dev',
  test: 'test',
  testing: 'test',
};

const at = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined;

/**
 * The split that an item names; undefined where it names none.
 * @param field path to it, such as `split` or `extra_info.split`
 */
export function splitIn(item: unknown, field = SPLIT_FIELD): SplitName | undefined {
  const value = field.split('.').reduce(at, item);
  if (typeof value !== 'string') return undefined;
  const word = value.trim().toLowerCase().replaceAll(/[-_ ]/g, '');
  return Object.hasOwn(NAMES, word) ? NAMES[word] : undefined;
}
