import { fnv1a } from '../../../base/hash.ts';

/** JSON as Python writes it. */

export type JsonObject = Record<string, unknown>;

export { parseJson } from '../../values/json.ts';

/** Lists and objects within one another beyond which a value cannot be stored or written again. */
const DEEPEST = 1000;

/** Whether a value is nested deeper than that: parsing takes more than writing does. */
export function isTooDeep(value: unknown, room = DEEPEST): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (room === 0) return true;
  return (Array.isArray(value) ? value : Object.values(value)).some((item) =>
    isTooDeep(item, room - 1),
  );
}

/** The object without some keys; every other key stays as it is, `__proto__` too. */
export const without = (object: JsonObject, keys: ReadonlySet<string>): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([key]) => !keys.has(key)));

export const asNumber = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;

/** A number, or one as text: what Python cannot write as JSON, training code writes with `default=str`. */
export const numberOrText = (value: unknown): number | null =>
  typeof value === 'string' && /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/.test(value)
    ? asNumber(Number(value))
    : asNumber(value);

export const asText = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** Two 32-bit hashes of a text: short names for equal texts. */
export const hashText = (text: string): string =>
  (fnv1a(text) >>> 0).toString(36) + (fnv1a(text, 0x01000193, 0x5bd1e995) >>> 0).toString(36);
