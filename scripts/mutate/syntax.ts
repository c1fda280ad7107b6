import { parseSync } from 'vite';

/** A node of the syntax tree, as far as this folder looks at it: its kind, its place, its children. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && 'start' in value;

/** The nodes right below `node`, in the order of its fields. */
export function* children(node: Node): Generator<Node> {
  for (const value of Object.values(node)) {
    if (isNode(value)) yield value;
    else if (Array.isArray(value)) yield* value.filter(isNode);
  }
}

/** The child under `key`. Throws where the tree has another shape: a parser of another version. */
export function childOf(node: Node, key: string): Node {
  const value = node[key];
  if (!isNode(value)) throw new Error(`a ${node.type} has no ${key}: the parser has changed`);
  return value;
}

/** The tree of a TypeScript file. Throws with the parser's words where it is not one. */
export function parse(file: string, source: string): Node {
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message ?? 'does not parse'}`);
  return program as unknown as Node;
}

/** Whether a node is there for types alone, and gone when the code runs. */
export const isOfTypes = (node: Node): boolean =>
  (node.type.startsWith('TS') &&
    !['TSAsExpression', 'TSNonNullExpression', 'TSSatisfiesExpression'].includes(node.type)) ||
  node['declare'] === true;
