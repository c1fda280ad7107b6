/**
 * The small faults that a file could have: one changed operator, bound, constant or condition, one
 * statement or step of a chain left out. A good suite of tests fails for nearly all of them.
 *
 * Texts for people stay as they are: what is thrown, templates, strings of several words, and what
 * `src/base/items.ts` calls things in its messages.
 */
import { childOf, children, isNode, isOfTypes, parse, type Node } from './syntax.ts';

export interface Mutant {
  /** The file, from the repository's root. */
  readonly file: string;
  /** Which kind of fault: "comparison", "early exit", … */
  readonly kind: string;
  /** Characters of the file that `text` replaces. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** Counted from 1. */
  readonly line: number;
}

type Fault = Pick<Mutant, 'kind' | 'start' | 'end' | 'text'>;

const SWAPS: Readonly<Record<string, readonly [kind: string, ...others: string[]]>> = {
  '+': ['arithmetic', '-'],
  '-': ['arithmetic', '+'],
  '*': ['arithmetic', '/'],
  '/': ['arithmetic', '*'],
  '%': ['arithmetic', '*'],
  '**': ['arithmetic', '*'],
  '<': ['comparison', '<=', '>='],
  '<=': ['comparison', '<', '>'],
  '>': ['comparison', '>=', '<='],
  '>=': ['comparison', '>', '<'],
  '===': ['comparison', '!=='],
  '!==': ['comparison', '==='],
  '&': ['bits', '|'],
  '|': ['bits', '&'],
  '^': ['bits', '&'],
  '<<': ['bits', '>>'],
  '>>': ['bits', '<<'],
  '>>>': ['bits', '<<'],
  '&&': ['logic', '||'],
  '||': ['logic', '&&'],
  '??': ['logic', '&&'],
  '+=': ['arithmetic', '-='],
  '-=': ['arithmetic', '+='],
  '*=': ['arithmetic', '/='],
  '/=': ['arithmetic', '*='],
  '++': ['arithmetic', '--'],
  '--': ['arithmetic', '++'],
};

/** A method and the one that is taken for it by mistake. */
const METHODS: Readonly<Record<string, string>> = {
  some: 'every',
  every: 'some',
  min: 'max',
  max: 'min',
  floor: 'ceil',
  ceil: 'floor',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
  indexOf: 'lastIndexOf',
  lastIndexOf: 'indexOf',
  find: 'findLast',
  findLast: 'find',
};

/** Steps of a chain whose result is of the type they were called on, so that one could be forgotten. */
const STEPS = new Set(
  'filter slice sort toSorted reverse toReversed trim trimStart trimEnd toLowerCase normalize'.split(
    ' ',
  ),
);

/** The operator's own characters, between the two operands. */
function operatorAt(source: string, from: number, to: number, operator: string): number {
  const gap = source
    .slice(from, to)
    .replaceAll(/\/\*[^]*?\*\/|\/\/.*/g, (comment) => ' '.repeat(comment.length));
  return from + gap.indexOf(operator);
}

const isText = (node: Node): boolean =>
  node.type === 'TemplateLiteral' ||
  (node.type === 'Literal' && typeof node['value'] === 'string') ||
  (node.type === 'BinaryExpression' &&
    node['operator'] === '+' &&
    (isText(childOf(node, 'left')) || isText(childOf(node, 'right'))));

function* swaps(node: Node, source: string): Generator<Fault> {
  const operator = String(node['operator']);
  const [kind, ...others] = SWAPS[operator] ?? [''];
  if (others.length === 0 || isText(node)) return;
  const start =
    node.type === 'UpdateExpression'
      ? node['prefix'] === true
        ? node.start
        : node.end - operator.length
      : operatorAt(source, childOf(node, 'left').end, childOf(node, 'right').start, operator);
  if (kind === 'logic') {
    // In brackets, for `??` does not mix with the others.
    const [left, right] = [childOf(node, 'left'), childOf(node, 'right')].map(
      ({ start: from, end }) => source.slice(from, end),
    );
    for (const other of others)
      yield { kind, start: node.start, end: node.end, text: `((${left}) ${other} (${right}))` };
    return;
  }
  const found = source.slice(start, start + operator.length);
  if (found !== operator) throw new Error(`expected ${operator} at ${start}, found ${found}`);
  for (const text of others) yield { kind, start, end: start + operator.length, text };
}

/** A condition that is always met, and one that never is. A loop is only ever ended. */
function* conditions(node: Node): Generator<Fault> {
  const test = node['test'];
  if (!isNode(test) || test.type === 'Literal') return;
  const loop = !['IfStatement', 'ConditionalExpression'].includes(node.type);
  for (const text of loop ? ['false'] : ['true', 'false'])
    yield { kind: 'condition', start: test.start, end: test.end, text };
}

function* literals(node: Node, parent: Node): Generator<Fault> {
  const { value, start, end } = { ...node, value: node['value'] };
  const isKey =
    (parent.type === 'Property' || parent.type === 'PropertyDefinition') && parent['key'] === node;
  if (isKey) return;
  if (typeof value === 'number') {
    for (const text of [value + 1, value - 1])
      yield { kind: 'constant', start, end, text: text < 0 ? `(${text})` : String(text) };
  } else if (typeof value === 'boolean') {
    yield { kind: 'constant', start, end, text: String(!value) };
  } else if (typeof value === 'string') {
    if (!/\S\s+\S/.test(value))
      yield { kind: 'string', start, end, text: value === '' ? "'mutated'" : "''" };
  } else if (isRegex(node)) yield* patterns(node, node['regex'] as Regex);
}

interface Regex {
  readonly pattern: string;
  readonly flags: string;
}
const isRegex = (node: Node): boolean => typeof node['regex'] === 'object';

function* patterns({ start, end }: Node, { pattern, flags }: Regex): Generator<Fault> {
  const kind = 'pattern';
  if (pattern.startsWith('^')) yield { kind, start, end, text: `/${pattern.slice(1)}/${flags}` };
  if (/[^\\]\$$/.test(pattern))
    yield { kind, start, end, text: `/${pattern.slice(0, -1)}/${flags}` };
  if (flags.includes('i'))
    yield { kind, start, end, text: `/${pattern}/${flags.replace('i', '')}` };
  const repeated = /(?<=[^\\([|])[*+](?![^[]*\])/.exec(pattern);
  if (repeated) {
    const other = repeated[0] === '*' ? '+' : '*';
    const text = pattern.slice(0, repeated.index) + other + pattern.slice(repeated.index + 1);
    yield { kind, start, end, text: `/${text}/${flags}` };
  }
}

/** Statements that can go: calls, assignments, and what leaves a block or a loop before its end. */
function* statements(node: Node, parent: Node, exits: boolean): Generator<Fault> {
  const { start, end } = node;
  if (node.type === 'ExpressionStatement' && typeof node['directive'] !== 'string') {
    const { type } = childOf(node, 'expression');
    if (type !== 'Literal') yield { kind: 'statement', start, end, text: ';' };
  }
  const leaves = ['ReturnStatement', 'ContinueStatement', 'BreakStatement', 'ThrowStatement'];
  if (!leaves.includes(node.type)) return;
  // The last return of a function is what it is for; without a case's break the file does not type.
  if (!exits || parent.type === 'SwitchCase') return;
  yield { kind: 'early exit', start, end, text: ';' };
}

function* calls(node: Node, source: string): Generator<Fault> {
  const callee = childOf(node, 'callee');
  if (callee.type !== 'MemberExpression' || callee['computed'] === true) return;
  const object = childOf(callee, 'object');
  const property = childOf(callee, 'property');
  const name = String(property['name']);
  const other = METHODS[name];
  if (other) yield { kind: 'method', start: property.start, end: property.end, text: other };
  if (STEPS.has(name))
    yield {
      kind: 'step left out',
      start: node.start,
      end: node.end,
      text: source.slice(object.start, object.end),
    };
}

/** Functions of `src/base/items.ts`, and which of their arguments is in what they throw. */
const NAMING: Readonly<Record<string, number>> = { itemAt: 2, lastOf: 1, present: 1 };

/** Whether a node is the name of a thing that a call would throw an error about. */
function isNameInMessage(node: Node, parent: Node): boolean {
  if (parent.type !== 'CallExpression') return false;
  const place = NAMING[String(childOf(parent, 'callee')['name'])];
  return place !== undefined && (parent['arguments'] as unknown[])[place] === node;
}

function* faultsOf(node: Node, parent: Node, exits: boolean, source: string): Generator<Fault> {
  switch (node.type) {
    case 'BinaryExpression':
    case 'LogicalExpression':
    case 'AssignmentExpression':
    case 'UpdateExpression':
      return yield* swaps(node, source);
    case 'UnaryExpression': {
      const { start, end } = childOf(node, 'argument');
      if (['!', '-', '~'].includes(String(node['operator'])))
        yield { kind: 'sign', start: node.start, end, text: source.slice(start, end) };
      return;
    }
    case 'IfStatement':
    case 'ConditionalExpression':
    case 'WhileStatement':
    case 'ForStatement':
      return yield* conditions(node);
    case 'Literal':
      if (isNameInMessage(node, parent)) return;
      return yield* literals(node, parent);
    case 'CallExpression':
      return yield* calls(node, source);
    case 'MemberExpression':
      if (node['optional'] === true) {
        const start = source.indexOf('?.', childOf(node, 'object').end);
        const text = node['computed'] === true ? '' : '.';
        yield { kind: 'optional chain', start, end: start + 2, text };
      }
      return;
    case 'ArrayExpression':
      if ((node['elements'] as unknown[]).length > 0)
        yield { kind: 'array', start: node.start, end: node.end, text: '[]' };
      return;
    default:
      yield* statements(node, parent, exits);
  }
}

const FUNCTIONS = ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'];
const LOOPS = ['ForStatement', 'ForOfStatement', 'ForInStatement', 'WhileStatement'];

/** Every mutant of a source, in the order of the tree. */
export function mutantsOf(file: string, source: string): Mutant[] {
  const mutants: Mutant[] = [];
  const lineAt = (offset: number): number => source.slice(0, offset).split('\n').length;

  /** `exits`: a return, continue or break here comes before the end of what it leaves. */
  const walk = (node: Node, parent: Node, exits: boolean): void => {
    if (isOfTypes(node)) return;
    if (['ImportDeclaration', 'ImportExpression', 'ExportAllDeclaration'].includes(node.type))
      return;
    for (const fault of faultsOf(node, parent, exits, source))
      mutants.push({ file, ...fault, line: lineAt(fault.start) });
    // What is thrown is written for people.
    if (node.type === 'ThrowStatement' || node.type === 'TemplateElement') return;
    const inside = FUNCTIONS.includes(node.type)
      ? false
      : exits || node.type === 'IfStatement' || LOOPS.includes(node.type);
    for (const child of children(node)) walk(child, node, inside);
  };
  const program = parse(file, source);
  walk(program, program, false);
  return mutants;
}

/** The source with the one fault in it. */
export const withMutant = (source: string, { start, end, text }: Mutant): string =>
  source.slice(0, start) + text + source.slice(end);

/** "`a < b` → `<=`": what was there and what is in its place, on one line. */
export function describe(mutant: Mutant, source: string): string {
  const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').slice(0, 70);
  const lineStart = source.lastIndexOf('\n', mutant.start - 1) + 1;
  const lineEnd = source.indexOf('\n', mutant.start);
  const line = source.slice(lineStart, lineEnd === -1 ? undefined : lineEnd).trim();
  const was = oneLine(source.slice(mutant.start, mutant.end));
  return `\`${was}\` → \`${oneLine(mutant.text)}\` in \`${oneLine(line)}\``;
}
