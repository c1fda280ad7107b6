import { FilterError } from './error.ts';

export interface Token {
  kind: 'word' | 'operator' | 'string' | 'pattern' | 'open' | 'close';
  /** Of a string its content, of a pattern its source. */
  value: string;
  /** Of a pattern. */
  flags: string;
  start: number;
  end: number;
}

/** Longer filters are refused. */
const MAX_FILTER = 4000;

const UNESCAPED: Record<string, string> = { n: '\n', t: '\t' };

/** Reads a string whose opening quote is at `start`. */
function stringAt(text: string, start: number): Token {
  let value = '';
  for (let i = start + 1; i < text.length; i++) {
    const char = text.charAt(i);
    if (char === '"') return { kind: 'string', value, flags: '', start, end: i + 1 };
    if (char !== '\\') value += char;
    else if (i + 1 < text.length) {
      const escaped = text.charAt(++i);
      value += UNESCAPED[escaped] ?? escaped;
    }
  }
  throw new FilterError(start, text.length - start, 'a closing "', 'the end');
}

/** Index of the slash that ends the pattern which opens at `start`; slashes in classes do not. */
function patternEnd(text: string, start: number): number {
  let inClass = false;
  for (let i = start + 1; i < text.length; i++) {
    const char = text.charAt(i);
    if (char === '\\') i++;
    else if (char === '[') inClass = true;
    else if (char === ']') inClass = false;
    else if (char === '/' && !inClass) return i;
  }
  throw new FilterError(start, text.length - start, 'a closing / of the pattern', 'the end');
}

function patternAt(text: string, start: number): Token {
  const end = patternEnd(text, start);
  const [flags = ''] = /^[a-z]*/i.exec(text.slice(end + 1)) ?? [];
  const value = text.slice(start + 1, end);
  return { kind: 'pattern', value, flags, start, end: end + 1 + flags.length };
}

const SIMPLE = /\s+|(?<open>\()|(?<close>\))|(?<operator>[<>!]=|[<>=])|(?<word>[^\s()"=<>!]+)/y;

function simpleAt(text: string, start: number): Token | number {
  SIMPLE.lastIndex = start;
  const match = SIMPLE.exec(text);
  if (!match)
    throw new FilterError(start, 1, 'a field, an operator or a value', `“${text[start]}”`);
  const kind = (['open', 'close', 'operator', 'word'] as const).find((k) => match.groups?.[k]);
  const end = SIMPLE.lastIndex;
  return kind ? { kind, value: match[0], flags: '', start, end } : end;
}

/** Cuts a filter into tokens. @throws FilterError */
export function tokenize(text: string): Token[] {
  if (text.length > MAX_FILTER)
    throw new FilterError(MAX_FILTER, 0, `at most ${MAX_FILTER} characters`, `${text.length}`);
  const tokens: Token[] = [];
  for (let at = 0; at < text.length;) {
    const char = text[at];
    const read =
      char === '"' ? stringAt(text, at) : char === '/' ? patternAt(text, at) : simpleAt(text, at);
    if (typeof read === 'number') at = read;
    else {
      tokens.push(read);
      at = read.end;
    }
  }
  return tokens;
}
