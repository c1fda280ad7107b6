/** A filter as a tree; `printFilter` and `parseFilter` are inverse to each other. */

export type NumberOperator = '=' | '!=' | '<' | '<=' | '>' | '>=';

export type Filter =
  /** No condition: everything passes. */
  | { kind: 'everything' }
  | { kind: 'and' | 'or'; parts: Filter[] }
  | { kind: 'not'; part: Filter }
  | { kind: 'number'; field: string; operator: NumberOperator; value: number }
  | { kind: 'equals'; field: string; equal: boolean; value: string }
  | { kind: 'has'; field: string; value: string }
  | { kind: 'contains'; field: string; value: string }
  | { kind: 'matches'; field: string; source: string; flags: string }
  | { kind: 'is'; field: string; what: 'missing' | 'present' };

const ESCAPES: Record<string, string> = { '"': '\\"', '\\': '\\\\', '\n': '\\n', '\t': '\\t' };

const quote = (text: string): string =>
  `"${text.replaceAll(/["\\\n\t]/g, (found) => ESCAPES[found] ?? found)}"`;

const RESERVED = /^(?:and|or|not)$/i;

/** A value as it may be in a filter: bare where it can. */
export const printValue = (text: string): string =>
  /^[\p{L}\p{N}_.:+-][^\s()"=<>!]*$/u.test(text) && !RESERVED.test(text) ? text : quote(text);

/** Parentheses where a part is itself `and` or `or`. */
function inner(filter: Filter): string {
  const printed = printFilter(filter);
  return filter.kind === 'and' || filter.kind === 'or' ? `(${printed})` : printed;
}

/** A filter as text. */
export function printFilter(filter: Filter): string {
  switch (filter.kind) {
    case 'everything':
      return '';
    case 'and':
    case 'or':
      return filter.parts.map(inner).join(` ${filter.kind} `);
    case 'not':
      return `not ${inner(filter.part)}`;
    case 'number':
      return `${filter.field} ${filter.operator} ${filter.value}`;
    case 'equals':
      return `${filter.field} ${filter.equal ? '=' : '!='} ${printValue(filter.value)}`;
    case 'has':
      return `${filter.field} has ${printValue(filter.value)}`;
    case 'contains':
      return filter.field === 'text'
        ? quote(filter.value)
        : `${filter.field} contains ${quote(filter.value)}`;
    case 'matches': {
      const pattern = `/${filter.source}/${filter.flags}`;
      return filter.field === 'text' ? pattern : `${filter.field} matches ${pattern}`;
    }
    case 'is':
      return `${filter.field} is ${filter.what}`;
  }
}
