/** Types of tensors in GGUF files: `ggml_type` of ggml.h, with the values and bytes of a block. */
interface TypeShape {
  readonly id: number;
  /** Values of one block, which are neighbours in a row. */
  readonly values: number;
  readonly bytes: number;
}

const TYPES = {
  F32: { id: 0, values: 1, bytes: 4 },
  F16: { id: 1, values: 1, bytes: 2 },
  BF16: { id: 30, values: 1, bytes: 2 },
  Q4_0: { id: 2, values: 32, bytes: 18 },
  Q4_1: { id: 3, values: 32, bytes: 20 },
  Q5_0: { id: 6, values: 32, bytes: 22 },
  Q5_1: { id: 7, values: 32, bytes: 24 },
  Q8_0: { id: 8, values: 32, bytes: 34 },
  Q2_K: { id: 10, values: 256, bytes: 84 },
  Q3_K: { id: 11, values: 256, bytes: 110 },
  Q4_K: { id: 12, values: 256, bytes: 144 },
  Q5_K: { id: 13, values: 256, bytes: 176 },
  Q6_K: { id: 14, values: 256, bytes: 210 },
  IQ4_NL: { id: 20, values: 32, bytes: 18 },
  IQ4_XS: { id: 23, values: 256, bytes: 136 },
} as const satisfies Record<string, TypeShape>;

export type GgufType = keyof typeof TYPES;

export const GGUF_TYPES = Object.keys(TYPES) as readonly GgufType[];

export const typeShape = (type: GgufType): TypeShape => TYPES[type];

export const typeOfId = (id: number): GgufType | null =>
  GGUF_TYPES.find((type) => TYPES[type].id === id) ?? null;

/** Names of types that are not read, by number, for messages. */
const OTHERS: Readonly<Record<number, string>> = {
  9: 'Q8_1',
  15: 'Q8_K',
  16: 'IQ2_XXS',
  17: 'IQ2_XS',
  18: 'IQ3_XXS',
  19: 'IQ1_S',
  21: 'IQ3_S',
  22: 'IQ2_S',
  24: 'I8',
  25: 'I16',
  26: 'I32',
  27: 'I64',
  28: 'F64',
  29: 'IQ1_M',
  34: 'TQ1_0',
  35: 'TQ2_0',
  39: 'MXFP4',
  40: 'NVFP4',
};

export const nameOfId = (id: number): string => typeOfId(id) ?? OTHERS[id] ?? `number ${id}`;

/** Bytes of `count` neighbouring values, a whole number of blocks. */
export const bytesOfValues = (type: GgufType, count: number): number =>
  (count / TYPES[type].values) * TYPES[type].bytes;
