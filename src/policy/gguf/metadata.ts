import { CheckpointError } from '../checkpoint/checkpoint-error.ts';

/** Arrays of numbers are kept as typed arrays; 64-bit integers as bigints. */
export type GgufValue = string | boolean | number | bigint | GgufArray;
export type GgufArray =
  | readonly string[]
  | readonly boolean[]
  | readonly GgufArray[]
  | Uint8Array
  | Int8Array
  | Uint16Array
  | Int16Array
  | Uint32Array
  | Int32Array
  | Float32Array
  | Float64Array
  | BigUint64Array
  | BigInt64Array;

/** The key-value pairs of a GGUF file: its settings, tokenizer and chat template. */
export class GgufMetadata {
  readonly #file: string;
  readonly #values: ReadonlyMap<string, GgufValue>;

  /** @param file named in errors */
  constructor(file: string, values: ReadonlyMap<string, GgufValue>) {
    this.#file = file;
    this.#values = values;
  }

  get keys(): readonly string[] {
    return [...this.#values.keys()];
  }

  has(key: string): boolean {
    return this.#values.has(key);
  }

  isList(key: string): boolean {
    const value = this.#values.get(key);
    return Array.isArray(value) || ArrayBuffer.isView(value);
  }

  /** @throws CheckpointError where the value is something else */
  text(key: string): string | undefined {
    const value = this.#values.get(key);
    if (value === undefined || typeof value === 'string') return value;
    throw this.#wrong(key, 'a text');
  }

  /** Numbers of any width. @throws CheckpointError where the value is something else */
  number(key: string): number | undefined {
    const value = this.#values.get(key);
    if (value === undefined || typeof value === 'number') return value;
    if (typeof value === 'bigint') return Number(value);
    throw this.#wrong(key, 'a number');
  }

  /** @throws CheckpointError where the value is something else */
  flag(key: string): boolean | undefined {
    const value = this.#values.get(key);
    if (value === undefined || typeof value === 'boolean') return value;
    throw this.#wrong(key, 'true or false');
  }

  /** @throws CheckpointError where the value is something else */
  texts(key: string): readonly string[] | undefined {
    const value = this.#values.get(key);
    if (value === undefined) return undefined;
    if (isTexts(value)) return value;
    throw this.#wrong(key, 'a list of texts');
  }

  /** A list of numbers of any width. @throws CheckpointError where the value is something else */
  numbers(key: string): ArrayLike<number> | undefined {
    const value = this.#values.get(key);
    if (value === undefined) return undefined;
    if (value instanceof BigUint64Array || value instanceof BigInt64Array)
      return Array.from(value, Number);
    if (ArrayBuffer.isView(value)) return value;
    throw this.#wrong(key, 'a list of numbers');
  }

  /** @throws CheckpointError where the value is something else */
  flags(key: string): readonly boolean[] | undefined {
    const value = this.#values.get(key);
    if (value === undefined) return undefined;
    if (Array.isArray(value) && value.every((one): one is boolean => typeof one === 'boolean'))
      return value;
    throw this.#wrong(key, 'a list of true and false');
  }

  #wrong(key: string, wanted: string): CheckpointError {
    return new CheckpointError(
      this.#file,
      `metadata key ${key} is not ${wanted}`,
      'Convert the model again, or use another GGUF file of it',
    );
  }
}

const isTexts = (value: GgufValue): value is readonly string[] =>
  Array.isArray(value) && (value.length === 0 || typeof value[0] === 'string');
