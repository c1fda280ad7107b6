import type { Dispatch } from './null-gpu/counts.ts';
import { evaluate, type Scope } from './expression.ts';

/**
 * The longest chain of loop trips that one thread of a dispatch goes through, read from its WGSL: the innermost loops' trips
 * added up, those of functions at each of their calls. Bounds are worked out for the first workgroup and its
 * first thread, with uniforms and tables as the host wrote them. Branches count as if all were taken.
 * @throws Error for a loop whose bounds cannot be worked out
 */
export function tripsOf(dispatch: Dispatch): number {
  const code = dispatch.pipeline.code.replaceAll(/\/\/.*$/gm, '');
  const functions = new Map<string, string>();
  for (const { name, body } of functionsOf(code)) functions.set(name, body);
  const scope = scopeOf(dispatch, code);
  for (const [, name = '', expression = ''] of code.matchAll(/^const (\w+) = ([^;]+);/gm))
    scope.set(name, evaluate(expression, scope));
  return trips(functions.get('main') ?? '', { functions, scope, name: dispatch.pipeline.label });
}

interface Reading {
  readonly functions: ReadonlyMap<string, string>;
  readonly scope: Scope;
  readonly name: string;
}

/** After the closing bracket that belongs to the opening one at `at`. */
function behind(code: string, at: number, open: string, close: string): number {
  let depth = 0;
  for (let i = at; i < code.length; i++) {
    if (code[i] === open) depth++;
    if (code[i] === close && --depth === 0) return i + 1;
  }
  throw new Error(`"${open}" at ${at} is not closed`);
}

function functionsOf(code: string): { name: string; body: string }[] {
  return [...code.matchAll(/\bfn (\w+)\(/g)].map((match) => {
    const parameters = behind(code, match.index + match[0].length - 1, '(', ')');
    const begin = code.indexOf('{', parameters);
    return { name: match[1] ?? '', body: code.slice(begin + 1, behind(code, begin, '{', '}') - 1) };
  });
}

const NEXT = /\bfor\s*\(|\b(?:let|var) (\w+)(?:\s*:\s*[\w<>, ]+)? = |\b(\w+)\(/g;

function trips(body: string, reading: Reading): number {
  const { functions, scope, name } = reading;
  let all = 0;
  const next = new RegExp(NEXT);
  for (let match = next.exec(body); match; match = next.exec(body)) {
    const [found, defined, called] = match;
    if (defined !== undefined) {
      const end = body.indexOf(';', next.lastIndex);
      define(defined, body.slice(next.lastIndex, end), scope);
    } else if (called !== undefined && !found.startsWith('for')) {
      const inner = functions.get(called);
      if (inner !== undefined) all += trips(inner, { ...reading, scope: new Map(scope) });
    } else {
      const open = match.index + found.length - 1;
      const close = behind(body, open, '(', ')');
      const header = body.slice(open + 1, close - 1).split(';');
      const begin = body.slice(close).search(/\S/) + close;
      const end =
        body[begin] === '{' ? behind(body, begin, '{', '}') : body.indexOf(';', begin) + 1;
      const within = new Map(scope);
      const count = countOf(header, within);
      if (count === null) throw new Error(`${name}: how often does for (${header.join(';')}) run?`);
      const inner = trips(body.slice(begin, end), { ...reading, scope: within });
      // A trip of a product that goes through several groups of 32 inputs counts as many.
      const groups = header[2]?.endsWith('* TOGETHER') ? (scope.get('TOGETHER') ?? 1) : 1;
      all += count * groups * Math.max(1, inner);
      next.lastIndex = end;
    }
  }
  return all;
}

/** A name for a value, or for a row of a table. */
function define(name: string, expression: string, scope: Scope): void {
  scope.set(name, evaluate(expression, scope));
  const [, table, index = ''] = /^(\w+)\[(.+)\]$/.exec(expression.trim()) ?? [];
  const row = table === undefined ? null : evaluate(index, scope);
  for (const part of 'xyzw')
    scope.set(
      `${name}.${part}`,
      row === null ? null : (scope.get(`${table}[${row}].${part}`) ?? null),
    );
}

/** How often a loop runs; `scope` then holds its first value. */
function countOf([first = '', condition = '', step = '']: string[], scope: Scope): number | null {
  const start = /(?:var )?(\w+)(?:\s*:\s*\w+)? = (.+)/.exec(first);
  const [, variable = '', expression = ''] = start ?? [];
  const from = evaluate(expression, scope);
  const by = new RegExp(`^\\s*${variable}\\s*(\\+\\+|--|[-+*]=|>>=)(.*)$`).exec(step);
  if (from === null || !by) return null;
  const [, operator = '', amount = ''] = by;
  const size =
    operator.length === 2 && '+-'.includes(operator[1] ?? '') ? 1 : evaluate(amount, scope);
  if (size === null) return null;
  const advance: Record<string, (value: number) => number> = {
    '++': (value) => value + 1,
    '--': (value) => value - 1,
    '+=': (value) => value + size,
    '-=': (value) => value - size,
    '*=': (value) => value * size,
    '>>=': (value) => value >>> size,
  };
  const within = new Map(scope);
  let count = 0;
  for (let value = from; count < 1e6; value = advance[operator]?.(value) ?? Number.NaN) {
    within.set(variable, value);
    const goes = evaluate(condition, within);
    if (goes === null) return null;
    if (goes === 0) break;
    count++;
  }
  scope.set(variable, from);
  return count;
}

/** Ids of the workgroup and thread, uniforms, and tables that are bound, as far as they are known. */
function scopeOf({ bound, workgroups }: Dispatch, code: string): Scope {
  const scope: Scope = new Map<string, number | null>();
  for (const axis of ['x', 'y', 'z']) scope.set(`wid.${axis}`, 0);
  ['x', 'y', 'z'].forEach((axis, i) => scope.set(`groups.${axis}`, workgroups?.[i] ?? null));
  scope.set('li', 0);
  const float = new DataView(new ArrayBuffer(4));
  const uniform = bound[0]?.words;
  const fields = /struct U \{([^}]*)\}/.exec(code)?.[1] ?? '';
  let at = 0;
  for (const [, name = '', type = ''] of fields.matchAll(
    /(\w+)\s*:\s*([\w<>, ]+?)(?=,\s*\w+\s*:|\s*$)/g,
  )) {
    const array = /array<vec4u, (\d+)>/.exec(type);
    if (array) at = Math.ceil(at / 4) * 4;
    const words = array ? 4 * Number(array[1]) : 1;
    for (let i = 0; i < words; i++) {
      const word = uniform?.[at + i];
      if (word === undefined) continue;
      float.setUint32(0, word);
      const value = type.trim() === 'f32' ? float.getFloat32(0) : word;
      scope.set(array ? `u.${name}[${Math.floor(i / 4)}].${'xyzw'[i % 4]}` : `u.${name}`, value);
    }
    at += words;
  }
  for (const [, place = '', name = ''] of code.matchAll(
    /@binding\((\d+)\) var<(?:uniform|storage, read)> (\w+): array<vec4u/g,
  )) {
    const words = bound[Number(place)]?.words;
    words?.forEach((word, i) => scope.set(`${name}[${Math.floor(i / 4)}].${'xyzw'[i % 4]}`, word));
  }
  return scope;
}
