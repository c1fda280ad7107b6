import { parsePython } from './python.ts';

/** JSON as training code writes it: with NaN, with integers of 64 bits, several values on a line, or as Python prints it. */

/** Index after the string whose opening quote is before `from`. */
function stringEnd(text: string, from: number): number {
  for (let i = from; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === '"') return i + 1;
  }
  return text.length;
}

/** Integers of this many digits may be beyond 2^53. The first pattern is the quick one, for most lines have none. */
const LONG_DIGITS = /(?:^|[^.\d])\d{16}/;
const LONG_INTEGER = /(?:^|[:[,\s])-?\d{16,}(?:[\s,\]}]|$)/;
const hasLongInteger = (text: string): boolean => LONG_DIGITS.test(text) && LONG_INTEGER.test(text);

/**
 * The text with what JSON.parse would refuse or round, outside strings: NaN and ±Infinity as null, and integers
 * beyond 2^53 as strings, so that different ids stay different.
 */
function inPlainJson(text: string): string {
  const token = /"|-?\bInfinity\b|\bNaN\b|(?<![\w.+-])-?\d{16,}(?![\w.])/g;
  let [out, from] = ['', 0];
  for (let match = token.exec(text); match; match = token.exec(text)) {
    const [found] = match;
    if (found === '"') token.lastIndex = stringEnd(text, token.lastIndex);
    else {
      const number = Number(found);
      const integer = /\d/.test(found);
      const exact = integer && Number.isSafeInteger(number) ? found : `"${found}"`;
      out += text.slice(from, match.index) + (integer ? exact : 'null');
      from = token.lastIndex;
    }
  }
  return out + text.slice(from);
}

/**
 * Parses a text. Numbers that are not finite become null, integers beyond 2^53 strings.
 * @throws SyntaxError as JSON.parse does
 */
export function parseJson(text: string): unknown {
  if (hasLongInteger(text)) return JSON.parse(inPlainJson(text));
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!/NaN|Infinity/.test(text)) throw error;
    return JSON.parse(inPlainJson(text));
  }
}

/** The texts of objects and lists one after the other, with or without commas, and what follows the last. */
function parted(text: string): { parts: string[]; rest: string } {
  const parts: string[] = [];
  const token = /["[{\]}]/g;
  let [depth, start, end] = [0, 0, 0];
  for (let match = token.exec(text); match; match = token.exec(text)) {
    if (match[0] === '"') token.lastIndex = stringEnd(text, token.lastIndex);
    else if (match[0] === '{' || match[0] === '[') {
      if (depth === 0 && /[^\s,]/.test(text.slice(end, match.index))) break;
      if (depth++ === 0) start = match.index;
    } else if (--depth === 0) {
      end = match.index + 1;
      parts.push(text.slice(start, end));
    } else if (depth < 0) break;
  }
  return { parts, rest: text.slice(end).replaceAll(/^[\s,]+|[\s,]+$/g, '') };
}

/** A value of a line, or why there is none. */
export type LineValue = { value: unknown } | { error: SyntaxError };

function attempt(parse: () => unknown): LineValue {
  try {
    return { value: parse() };
  } catch (error) {
    if (error instanceof SyntaxError) return { error };
    throw error;
  }
}

/**
 * The values of a line: one as a rule. Also those of a line with a comma after it, of several lines without a line
 * end between them, and of a line as Python prints it. What is no value is an error among them.
 * @throws RangeError where it is nested too deeply
 */
export function lineValues(text: string): LineValue[] {
  const whole = attempt(() => parseJson(text));
  if ('value' in whole || !/[[{]/.test(text)) return [whole];
  const { parts, rest } = parted(text);
  const values = parts.map((part) => attempt(() => parseJson(part)));
  if (values.some((one) => 'value' in one))
    return rest === '' ? values : [...values, attempt(() => parseJson(rest))];
  const python = /^\s*[[{]/.test(text) ? attempt(() => parsePython(text.trim())) : whole;
  return ['value' in python ? python : whole];
}
