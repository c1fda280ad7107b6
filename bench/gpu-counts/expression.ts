/** Values of names, also of `u.field`, `table[3].y`; null where they are not known. */
export type Scope = Map<string, number | null>;

const TOKEN =
  /\s*(0x[\da-f]+u?|\d+(?:\.\d+)?(?:e-?\d+)?[uif]?|\w+|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^<>()[\].,!~])/iy;
const POWERS: readonly (readonly string[])[] = [
  ['||'],
  ['&&'],
  ['|'],
  ['^'],
  ['&'],
  ['==', '!='],
  ['<', '>', '<=', '>='],
  ['<<', '>>'],
  ['+', '-'],
  ['*', '/', '%'],
];
const OPERATIONS: Record<string, (a: number, b: number) => number> = {
  '||': (a, b) => Number(a !== 0 || b !== 0),
  '&&': (a, b) => Number(a !== 0 && b !== 0),
  '|': (a, b) => (a | b) >>> 0,
  '^': (a, b) => (a ^ b) >>> 0,
  '&': (a, b) => (a & b) >>> 0,
  '==': (a, b) => Number(a === b),
  '!=': (a, b) => Number(a !== b),
  '<': (a, b) => Number(a < b),
  '>': (a, b) => Number(a > b),
  '<=': (a, b) => Number(a <= b),
  '>=': (a, b) => Number(a >= b),
  '<<': (a, b) => (a << b) >>> 0,
  '>>': (a, b) => a >>> b,
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => Math.floor(a / b),
  '%': (a, b) => a % b,
};
const FUNCTIONS: Record<string, (...values: number[]) => number> = {
  min: Math.min,
  max: Math.max,
  u32: (value = 0) => Math.trunc(value),
  i32: (value = 0) => Math.trunc(value),
  countLeadingZeros: (value = 0) => Math.clz32(value),
  select: (no = 0, yes = 0, which = 0) => (which === 0 ? no : yes),
};

/**
 * A WGSL expression of unsigned numbers; null where a part of it is not known, or is something else. Of a minimum what is
 * known is enough.
 */
export function evaluate(expression: string, scope: Scope): number | null {
  const tokens: string[] = [];
  const token = new RegExp(TOKEN);
  while (token.lastIndex < expression.trimEnd().length) {
    const match = token.exec(expression);
    if (!match) return null;
    tokens.push(match[1] ?? '');
  }
  let at = 0;
  const take = (wanted: string): boolean => {
    if (tokens[at] !== wanted) return false;
    at++;
    return true;
  };
  const list = (close: string): (number | null)[] => {
    const values: (number | null)[] = [];
    while (!take(close)) {
      values.push(binary(0));
      if (!take(',') && tokens[at] !== close) throw new SyntaxError(expression);
    }
    return values;
  };
  const primary = (): number | null => {
    const word = tokens[at++];
    if (word === undefined) throw new SyntaxError(expression);
    if (word === '(') {
      const inner = binary(0);
      if (!take(')')) throw new SyntaxError(expression);
      return inner;
    }
    if (word === '-' || word === '!' || word === '~') {
      const value = primary();
      if (value === null) return null;
      if (word === '-') return -value;
      return word === '!' ? Number(value === 0) : ~value >>> 0;
    }
    if (/^\d/.test(word)) return Number(word.replace(/[ui]$/i, ''));
    if (word === 'true' || word === 'false') return Number(word === 'true');
    if (take('(')) {
      const values = list(')');
      const known = FUNCTIONS[word];
      const numbers = values.filter((value) => value !== null);
      // The least of what is known is an upper bound.
      const enough = word === 'min' ? numbers.length > 0 : numbers.length === values.length;
      const value = known && enough ? known(...numbers) : null;
      return suffixed('?', value);
    }
    return suffixed(word, scope.get(word) ?? null);
  };
  /** A name with what is picked of it. */
  const suffixed = (name: string, value: number | null): number | null => {
    let path = name;
    for (;;) {
      if (take('[')) {
        const index = binary(0);
        if (!take(']')) throw new SyntaxError(expression);
        path += `[${index ?? '?'}]`;
      } else if (take('.')) path += `.${tokens[at++] ?? ''}`;
      else break;
    }
    return path === name ? value : (scope.get(path) ?? null);
  };
  const binary = (level: number): number | null => {
    const operators = POWERS[level];
    if (!operators) return primary();
    let left = binary(level + 1);
    for (let word = tokens[at]; word !== undefined && operators.includes(word); word = tokens[at]) {
      at++;
      const right = binary(level + 1);
      const operation = OPERATIONS[word];
      left = left === null || right === null || !operation ? null : operation(left, right);
    }
    return left;
  };
  try {
    const value = binary(0);
    return at === tokens.length ? value : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
