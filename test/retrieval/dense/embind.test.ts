/* oxlint-disable typescript/no-unsafe-type-assertion -- what is compiled from text has no type */
import { describe, expect, it } from 'vitest';
import { withoutEval, withoutEvalAsync } from '../../../src/retrieval/dense/hnsw.ts';

/** Embind's way to compile: names, then the text, then the values. */
const compile = (names: string[], body: string, values: unknown[]): unknown =>
  Reflect.apply(
    Reflect.apply(Function, undefined, [...names, body]) as () => unknown,
    undefined,
    values,
  );

const number = {
  toWireType: (_: unknown, value: number) => value * 10,
  fromWireType: (wired: number) => wired / 10,
  readValueFromPointer: (pointer: number) => pointer * 2,
  argPackAdvance: 8,
};
const throwBindingError = (message: string): never => {
  throw new TypeError(message);
};

/** A method `scale(x)` of a class, as embind writes it. */
function method(): unknown {
  const destroyed: unknown[] = [];
  const text = `return function scale(arg0) {
    if (arguments.length !== 1) { throwBindingError('scale'); }
    var thisWired = classParam.toWireType(null, this);
    var arg0Wired = argType0.toWireType(null, arg0);
    var rv = invoker(fn, thisWired, arg0Wired);
    arg0Wired_dtor(arg0Wired);
    var ret = retType.fromWireType(rv);
    return ret;
  }`;
  const names = 'throwBindingError,invoker,fn,runDestructors,retType,classParam,argType0';
  const values = [
    throwBindingError,
    (fn: string, self: number, x: number) => (fn === 'f' ? self + x : NaN),
    'f',
    () => undefined,
    number,
    { toWireType: (_: unknown, self: { base: number }) => self.base },
    number,
    (wired: unknown) => destroyed.push(wired),
  ];
  const scale = compile([...names.split(','), 'arg0Wired_dtor'], text, values) as (
    this: unknown,
    x: number,
  ) => number;
  const result = scale.call({ base: 5 }, 3);
  expect(() => Reflect.apply(scale, { base: 5 }, [])).toThrow(TypeError);
  return { result, destroyed };
}

/** A call of `handle[name]` from the library. */
function caller(): unknown {
  const text = `return function methodCaller(handle, name, destructors, args) {
    var arg0 = argType0.readValueFromPointer(args);
    var arg1 = argType1.readValueFromPointer(args+8);
    var rv = handle[name](arg0, arg1);
    return retType.toWireType(destructors, rv);
  };`;
  const names = ['retType', 'argType0', 'argType1'];
  const call = compile(names, text, [number, number, number]) as (...args: unknown[]) => number;
  return call({ add: (a: number, b: number) => a + b }, 'add', null, 100);
}

describe('embind without eval', () => {
  it('makes the same method wrappers as the generated text', () => {
    const expected = method();
    expect(expected).toEqual({ result: 3.5, destroyed: [30] });
    expect(withoutEval(method)).toEqual(expected);
  });

  it('makes the same callers into JavaScript', () => {
    const expected = caller();
    expect(expected).toBe(4160);
    expect(withoutEval(caller)).toBe(expected);
  });

  it('puts Function back, also after an error', async () => {
    const real = globalThis.Function;
    expect(() => withoutEval(() => throwBindingError('no'))).toThrow('no');
    await expect(withoutEvalAsync(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(globalThis.Function).toBe(real);
  });
});
