import type { Filter, NumberOperator } from './ast.ts';
import { FilterError, type ExpectedSyntax } from './error.ts';
import { fieldOf, OPERATORS, type Field } from './fields.ts';
import { checkPattern } from './pattern.ts';
import { tokenize, type Token } from './tokenize.ts';

/*
 * condition  := field operator value | "text" | /pattern/
 * factor     := "not" factor | "(" either ")" | condition
 * both       := factor ("and" factor)*
 * either     := both ("or" both)*
 */

/** Deeper filters are refused, so that none can exhaust the stack. */
const MAX_DEPTH = 60;

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

class Parser {
  readonly #text: string;
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;

  constructor(text: string, tokens: readonly Token[]) {
    this.#text = text;
    this.#tokens = tokens;
  }

  parse(): Filter {
    if (this.#tokens.length === 0) return { kind: 'everything' };
    const filter = this.#either();
    if (this.#at < this.#tokens.length)
      this.#fail('“and”, “or” or the end', { kind: 'connective', open: false });
    return filter;
  }

  #fail(expected: string, wanted: ExpectedSyntax | null): never {
    const token = this.#tokens[this.#at];
    const found = token ? `“${this.#text.slice(token.start, token.end)}”` : 'the end';
    const start = token?.start ?? this.#text.length;
    throw new FilterError(start, token ? token.end - token.start : 0, expected, found, wanted);
  }

  #isWord(word: string): boolean {
    const token = this.#tokens[this.#at];
    return token?.kind === 'word' && token.value.toLowerCase() === word;
  }

  #list(kind: 'and' | 'or', next: () => Filter): Filter {
    const parts = [next()];
    while (this.#isWord(kind)) {
      this.#at++;
      parts.push(next());
    }
    const [only, ...others] = parts;
    return only && others.length === 0 ? only : { kind, parts };
  }

  #either(): Filter {
    return this.#list('or', () => this.#list('and', () => this.#factor()));
  }

  #factor(): Filter {
    if (this.#depth >= MAX_DEPTH) this.#fail(`at most ${MAX_DEPTH} levels`, null);
    this.#depth++;
    const filter = this.#factorInside();
    this.#depth--;
    return filter;
  }

  #factorInside(): Filter {
    const token = this.#tokens[this.#at];
    if (this.#isWord('not')) {
      this.#at++;
      return { kind: 'not', part: this.#factor() };
    }
    if (token?.kind !== 'open') return this.#condition();
    this.#at++;
    const filter = this.#either();
    if (this.#tokens[this.#at]?.kind !== 'close')
      this.#fail('“and”, “or” or “)”', { kind: 'connective', open: true });
    this.#at++;
    return filter;
  }

  #condition(): Filter {
    const token = this.#tokens[this.#at];
    if (token?.kind === 'string') {
      this.#at++;
      return { kind: 'contains', field: 'text', value: token.value };
    }
    if (token?.kind === 'pattern') return this.#pattern('text', token);
    const field = token?.kind === 'word' ? fieldOf(token.value) : null;
    if (!field)
      this.#fail('a field, "text", /pattern/, “not” or “(”', {
        kind: 'condition',
      });
    this.#at++;
    return this.#comparison(field);
  }

  #pattern(field: string, { value, flags, start, end }: Token): Filter {
    checkPattern(value, flags, start, end - start);
    this.#at++;
    return { kind: 'matches', field, source: value, flags };
  }

  #comparison(field: Field): Filter {
    const token = this.#tokens[this.#at];
    const operators = OPERATORS[field.kind];
    const operator = token ? token.value.toLowerCase() : '';
    const written = token?.kind === 'word' || token?.kind === 'operator';
    if (!written || !operators.includes(operator))
      this.#fail(`one of ${operators.join(' ')} after “${field.name}”`, {
        kind: 'operator',
        field: field.name,
      });
    this.#at++;
    return this.#value(field, operator);
  }

  #value({ name, kind }: Field, operator: string): Filter {
    const wanted: ExpectedSyntax = { kind: 'value', field: name, operator };
    const token = this.#tokens[this.#at];
    if (operator === 'is') {
      const what = token?.kind === 'word' ? token.value.toLowerCase() : '';
      if (what !== 'missing' && what !== 'present') this.#fail('“missing” or “present”', wanted);
      this.#at++;
      return { kind: 'is', field: name, what };
    }
    if (operator === 'matches') {
      if (token?.kind !== 'pattern') this.#fail('a /pattern/', wanted);
      return this.#pattern(name, token);
    }
    if (kind === 'number') {
      const value = token?.kind === 'word' && NUMBER.test(token.value) ? Number(token.value) : NaN;
      if (!Number.isFinite(value)) this.#fail('a number', wanted);
      this.#at++;
      // One zero: −0 would be printed as 0.
      return {
        kind: 'number',
        field: name,
        operator: operator as NumberOperator,
        value: value + 0,
      };
    }
    const quoted = token?.kind === 'string';
    const bare = token?.kind === 'word' && !/^(?:and|or|not)$/i.test(token.value);
    if (!quoted && !bare) this.#fail('a word or a "text"', wanted);
    this.#at++;
    const value = token.value;
    if (operator === 'has' || operator === 'contains')
      return { kind: operator, field: name, value };
    return { kind: 'equals', field: name, equal: operator === '=', value };
  }
}

/** Reads tokens of a text; for completion. @throws FilterError */
export const parseTokens = (text: string, tokens: readonly Token[]): Filter =>
  new Parser(text, tokens).parse();

/** Reads a filter. @throws FilterError that says where and what was expected; nothing else */
export const parseFilter = (text: string): Filter => parseTokens(text, tokenize(text));
