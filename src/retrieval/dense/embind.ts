/* oxlint-disable typescript/no-unsafe-type-assertion -- another library's internals, which have no types to check against */
/**
 * Emscripten's embind (in hnswlib) writes its call wrappers as text and compiles them with
 * `Function`, which a content security policy without 'unsafe-eval' forbids. Here the same wrappers
 * are closures: `Function` is replaced while the library loads or runs, and put back after.
 */

/** A type as embind registers it. */
interface WireType {
  toWireType(destructors: unknown[] | null, value: unknown): unknown;
  fromWireType(wired: unknown): unknown;
  readValueFromPointer(pointer: number): unknown;
  argPackAdvance: number;
  deleteObject?: (value: unknown) => void;
  isVoid?: boolean;
}

type AnyFunction = (this: unknown, ...args: unknown[]) => unknown;

/** Parameters of the generated text with what they are bound to. */
class Bindings {
  readonly #values: ReadonlyMap<string, unknown>;

  constructor(names: readonly string[], values: readonly unknown[]) {
    this.#values = new Map(names.map((name, i) => [name, values[i]]));
  }

  type(name: string): WireType {
    return this.#values.get(name) as WireType;
  }

  call(name: string): AnyFunction {
    return this.#values.get(name) as AnyFunction;
  }

  /** Functions under the names that end so, in order. */
  ending(suffix: string): [name: string, value: AnyFunction][] {
    return [...this.#values.keys()]
      .filter((name) => name.endsWith(suffix))
      .map((name) => [name, this.call(name)]);
  }

  /** argType0, argType1, … */
  get argumentTypes(): WireType[] {
    const count = [...this.#values.keys()].filter((name) => /^argType\d+$/.test(name)).length;
    return Array.from({ length: count }, (_, i) => this.type(`argType${i}`));
  }

  value(name: string): unknown {
    return this.#values.get(name);
  }
}

/** What embind's craftInvokerFunction compiles: a call from JavaScript into the library. */
function invoker(body: string, bound: Bindings): AnyFunction {
  const types = bound.argumentTypes;
  const isMethod = body.includes('var thisWired =');
  const needsStack = body.includes('var destructors =');
  const returns = body.includes('var ret =');
  return function (this: unknown, ...args: unknown[]): unknown {
    if (args.length !== types.length) {
      bound.call('throwBindingError')(`called with ${args.length} arguments, not ${types.length}`);
    }
    const destructors: unknown[] | null = needsStack ? [] : null;
    const wired = new Map<string, unknown>();
    if (isMethod) wired.set('thisWired', bound.type('classParam').toWireType(destructors, this));
    types.forEach((type, i) => wired.set(`arg${i}Wired`, type.toWireType(destructors, args[i])));
    const result = bound.call('invoker')(bound.value('fn'), ...wired.values());
    if (destructors) bound.call('runDestructors')(destructors);
    for (const [name, destroy] of bound.ending('_dtor')) destroy(wired.get(name.slice(0, -5)));
    return returns ? bound.type('retType').fromWireType(result) : undefined;
  };
}

/** What embind's __emval_get_method_caller compiles: a call from the library into JavaScript. */
function methodCaller(bound: Bindings): AnyFunction {
  const types = bound.argumentTypes;
  return (handle, name, destructors, pointer) => {
    let at = pointer as number;
    const args = types.map((type) => {
      const value = type.readValueFromPointer(at);
      at += type.argPackAdvance;
      return value;
    });
    const result = (handle as Record<string, AnyFunction>)[name as string]?.call(handle, ...args);
    types.forEach((type, i) => type.deleteObject?.(args[i]));
    const type = bound.type('retType');
    return type.isVoid ? undefined : type.toWireType(destructors as unknown[] | null, result);
  };
}

/** Replaces the `Function` constructor; text that is not embind's goes to the real one. */
function makeConstructor(real: FunctionConstructor): FunctionConstructor {
  const make = (...parts: string[]): unknown => {
    const [body, names] = [parts.at(-1) ?? '', parts.slice(0, -1)];
    if (names.includes('invoker')) {
      return (...values: unknown[]) => invoker(body, new Bindings(names, values));
    }
    if (body.includes('handle[name]')) {
      return (...values: unknown[]) => methodCaller(new Bindings(names, values));
    }
    return real(...parts);
  };
  const constructor = function (...parts: string[]): unknown {
    return make(...parts);
  };
  constructor.prototype = real.prototype as object;
  return constructor as unknown as FunctionConstructor;
}

/** Runs with embind's text compiled as closures. */
export function withoutEval<Result>(run: () => Result): Result {
  const real = globalThis.Function;
  globalThis.Function = makeConstructor(real);
  try {
    return run();
  } finally {
    globalThis.Function = real;
  }
}

/** The same for what continues after an await; nothing else should compile text meanwhile. */
export async function withoutEvalAsync<Result>(run: () => Promise<Result>): Promise<Result> {
  const real = globalThis.Function;
  globalThis.Function = makeConstructor(real);
  try {
    return await run();
  } finally {
    globalThis.Function = real;
  }
}
