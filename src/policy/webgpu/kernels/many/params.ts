/** Four numbers of a part of a matrix's rows: what they are is each kernel's to say. */
export type Part = readonly [number, number, number, number];

/** Most adapted parts of a matrix. */
const MOST_PARTS = 8;

/** The uniform of a kernel: fields in the order of the WGSL struct, then, where it has parts, those. */
export interface Params<F extends string = string> {
  readonly wgsl: string;
  /** Words of a uniform. */
  words(values: Readonly<Record<F, number>>, parts?: readonly Part[]): number[];
}

const bits = new DataView(new ArrayBuffer(4));
const float = (value: number): number => {
  bits.setFloat32(0, value, true);
  return bits.getUint32(0, true);
};

/**
 * @param integers u32 fields @param floats f32 fields after them
 * @param parts whether an array `parts` of `partCount` used vec4u follows
 */
export function params<I extends string, F extends string = never>(
  integers: readonly I[],
  floats: readonly F[] = [],
  parts = false,
): Params<I | F> {
  const members = [
    ...integers.map((name) => `${name}: u32`),
    ...floats.map((name) => `${name}: f32`),
    ...(parts ? ['partCount: u32', `parts: array<vec4u, ${MOST_PARTS}>`] : []),
  ];
  return {
    wgsl: `struct P { ${members.join(', ')} }\n@group(0) @binding(0) var<uniform> p: P;`,
    words(values, list = []) {
      if (list.length > MOST_PARTS)
        throw new RangeError(`adapter: at most ${MOST_PARTS} adapted parts a matrix`);
      const words: number[] = [
        ...integers.map((name) => values[name]),
        ...floats.map((name) => float(values[name])),
      ];
      if (!parts) return words;
      words.push(list.length);
      while (words.length % 4 > 0) words.push(0);
      for (const part of list) words.push(...part);
      return words;
    },
  };
}

/** A storage binding that a kernel reads, or also writes; `false` for one that its kind lacks. */
export type Binding =
  | false
  | { readonly name: string; readonly type: string; readonly access: 'r' | 'w' };

export const reads = (name: string, type: string): Binding => ({ name, type, access: 'r' });
export const writes = (name: string, type: string): Binding => ({ name, type, access: 'w' });

/** Declares the uniform `p` at binding 0 and the storage bindings from 1 on. */
export function declare(
  uniform: Params,
  list: readonly Binding[],
): { wgsl: string; access: string } {
  const used = list.filter((binding) => binding !== false);
  const lines = used.map(
    ({ name, type, access }, i) =>
      `@group(0) @binding(${i + 1}) var<storage, ${access === 'r' ? 'read' : 'read_write'}> ${name}: array<${type}>;`,
  );
  return {
    wgsl: [uniform.wgsl, ...lines].join('\n'),
    access: used.map(({ access }) => access).join(''),
  };
}
