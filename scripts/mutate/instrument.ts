import { childOf, children, isNode, isOfTypes, parse, type Node } from './syntax.ts';

/** A piece of code that runs as a whole: the body of a function, a branch, a loop, a file's top level. */
export interface Region {
  readonly start: number;
  readonly end: number;
}

export interface Instrumented {
  readonly code: string;
  readonly regions: readonly Region[];
}

const LOOPS = [
  'ForStatement',
  'ForOfStatement',
  'ForInStatement',
  'WhileStatement',
  'DoWhileStatement',
];

/**
 * The source with two additions. Each region notes that it ran, in `globalThis.__ran[file]` (where
 * `counts`). And each turn of a loop calls `globalThis.__turn`, which can end one that a mutant made
 * endless. No line moves.
 */
export function instrument(file: string, source: string, counts: boolean): Instrumented {
  const regions: Region[] = [];
  const inserted: { at: number; text: string }[] = [];
  const enter = ({ start, end }: Region): string => {
    regions.push({ start, end });
    return counts ? `__here[${regions.length - 1}] = 1;` : '';
  };

  const walk = (node: Node, parent: Node): void => {
    if (isOfTypes(node)) return;
    if (node.type === 'BlockStatement') {
      const turn = LOOPS.includes(parent.type) ? 'globalThis.__turn?.();' : '';
      inserted.push({ at: node.start + 1, text: turn + enter(node) });
    } else if (LOOPS.includes(node.type) && childOf(node, 'body').type !== 'BlockStatement') {
      const { start, end } = childOf(node, 'body');
      inserted.push({ at: start, text: `{globalThis.__turn?.();${enter({ start, end })}` });
      inserted.push({ at: end, text: '}' });
    } else if (node.type === 'ArrowFunctionExpression') {
      const body = childOf(node, 'body');
      if (body.type !== 'BlockStatement') {
        // The body may be in parentheses, so the function's end is where the expression ends for sure.
        const at = source.indexOf('=>', endOfParameters(node, source)) + 2;
        const region = enter({ start: body.start, end: body.end });
        if (region) {
          inserted.push({ at, text: `{${region}return (` });
          inserted.push({ at: node.end, text: ')}' });
        }
      }
    } else if (node.type === 'SwitchCase') {
      const [first] = node['consequent'] as Node[];
      if (first)
        inserted.push({ at: first.start, text: enter({ start: first.start, end: node.end }) });
    }
    for (const child of children(node)) walk(child, node);
  };
  const program = parse(file, source);
  const top = enter({ start: 0, end: source.length });
  walk(program, program);

  let code = '';
  let from = 0;
  // Insertions at one place keep their order: what opens a block comes before what is in it.
  const ordered = inserted.map((each, order) => ({ ...each, order }));
  ordered.sort((a, b) => a.at - b.at || rank(a.text) - rank(b.text) || order(a, b));
  for (const { at, text } of ordered) {
    code += source.slice(from, at) + text;
    from = at;
  }
  code += source.slice(from);
  const name = JSON.stringify(file);
  const head = counts
    ? `const __here = ((globalThis.__ran ??= {})[${name}] ??= new Uint8Array(${regions.length}));${top}`
    : '';
  return { code: head + code, regions };
}

/** At one place, what closes comes first, the inner before the outer; then what opens. */
const rank = (text: string): number => (text.startsWith('}') || text.startsWith(')') ? 0 : 1);
const order = (a: { text: string; order: number }, b: { text: string; order: number }): number =>
  rank(a.text) === 0 ? b.order - a.order : a.order - b.order;

/** Where an arrow may follow: after the last parameter, its type and its default, and the result's type. */
function endOfParameters(arrow: Node, source: string): number {
  const parameters = arrow['params'] as Node[];
  const result = arrow['returnType'];
  if (isNode(result)) return result.end;
  const last = parameters.at(-1);
  return last ? last.end : source.indexOf(')', arrow.start);
}

/** The smallest region around a place. */
export function regionAt(regions: readonly Region[], place: number): number {
  let best = 0;
  for (const [i, { start, end }] of regions.entries()) {
    const inner = regions[best];
    const smaller = !inner || end - start < inner.end - inner.start;
    if (place >= start && place < end && smaller) best = i;
  }
  return best;
}
