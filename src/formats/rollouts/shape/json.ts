import { fnv1a } from '../../../base/hash.ts';

/** JSON as Python writes it. */

export type JsonObject = Record<string, unknown>;

/** Index behind the string whose opening quote stands before `from`. */
function stringEnd(text: string, from: number): number {
  for (let i = from; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === '"') return i + 1;
  }
  return text.length;
}

/** NaN and ±Infinity outside strings, which Python's json writes and JSON does not have, as null. */
function withoutNonFinite(text: string): string {
  const token = /"|-?\bInfinity\b|\bNaN\b/g;
  let [out, from] = ['', 0];
  for (let match = token.exec(text); match; match = token.exec(text)) {
    if (match[0] === '"') token.lastIndex = stringEnd(text, token.lastIndex);
    else {
      out += `${text.slice(from, match.index)}null`;
      from = token.lastIndex;
    }
  }
  return out + text.slice(from);
}

/** Parses one line; non-finite numbers become null. @throws SyntaxError as JSON.parse does */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!/NaN|Infinity/.test(text)) throw error;
    return JSON.parse(withoutNonFinite(text));
  }
}

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

export const asText = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** Two 32-bit hashes of a text: short names for equal texts. */
export const hashText = (text: string): string =>
  (fnv1a(text) >>> 0).toString(36) + (fnv1a(text, 0x01000193, 0x5bd1e995) >>> 0).toString(36);
