import { messageOf } from '../../base/errors.ts';
import type { PolicyConfig } from '../checkpoint/config.ts';
import { readSafetensors, writeSafetensors, type Tensor } from '../checkpoint/safetensors.ts';
import { checkedSlots } from './check.ts';
import { parsePeftConfig, toPeftConfig, type PeftConfig } from './peft-config.ts';
import { ADAPTER_GATES, readGates, writeGates } from './gates-file.ts';
import { loraSize, loraSlots, moduleName, type LoraSlot, type LoraSpec } from './spec.ts';

export const ADAPTER_WEIGHTS = 'adapter_model.safetensors';
export const ADAPTER_CONFIG = 'adapter_config.json';

/** One file of an adapter's folder. */
export interface AdapterFile {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export interface Adapter {
  readonly spec: LoraSpec;
  /** Values in the order of `loraSlots`, then those of gates. */
  readonly flat: Float32Array;
  /** Name of the checkpoint that it was trained on; empty where the folder does not say. */
  readonly baseName: string;
}

/** An adapter folder that cannot be used; the message is one line that begins with the file at fault. */
export class AdapterError extends Error {
  override readonly name = 'AdapterError';
  readonly file: string;

  constructor(file: string, problem: string) {
    // Names inside damaged files may hold anything; the message stays one readable line.
    super(`${file}: ${problem.replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').slice(0, 600)}`);
    this.file = file;
  }
}

/**
 * Writes an adapter as the folder that Python PEFT loads with `PeftModel.from_pretrained`: its factors
 * under PEFT's names, and the settings that decide how they are applied. Gates of latent reasoning, which PEFT does not
 * know, are beside them in a file that it does not read.
 *
 * @param flat values in the order of `loraSlots`, then those of gates
 * @param baseName checkpoint that the adapter belongs to, for `base_model_name_or_path`
 * @param dtype what values are stored in; F16 rounds them
 * @throws RangeError where `flat` is not as long as the spec asks
 */
export function writePeft(
  config: PolicyConfig,
  spec: LoraSpec,
  flat: Float32Array,
  baseName: string,
  dtype: 'F32' | 'F16' = 'F32',
): AdapterFile[] {
  const tensors = checkedSlots(config, spec, flat).map(
    ({ name, shape, offset, length }) =>
      [name, { shape, data: flat.subarray(offset, offset + length) }] as const,
  );
  const json = `${JSON.stringify(toPeftConfig(spec, baseName), null, 2)}\n`;
  return [
    { name: ADAPTER_WEIGHTS, bytes: writeSafetensors(new Map(tensors), dtype) },
    { name: ADAPTER_CONFIG, bytes: new TextEncoder().encode(json) },
    ...(spec.gates
      ? [
          {
            name: ADAPTER_GATES,
            bytes: writeGates(config, spec.gates, flat.subarray(loraSize(config, spec))),
          },
        ]
      : []),
  ];
}

/** Runs a reader; what it throws is said of the file. */
function inFile<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new AdapterError(file, messageOf(error));
  }
}

function find(files: readonly { name: string; bytes: Uint8Array }[], name: string): Uint8Array {
  const file = files.find((f) => f.name === name);
  if (file) return file.bytes;
  const pickled = name === ADAPTER_WEIGHTS && files.some((f) => f.name === 'adapter_model.bin');
  throw new AdapterError(
    name,
    pickled
      ? 'is missing; adapter_model.bin is a pickle, save it again with safe_serialization=True'
      : 'is missing from the folder',
  );
}

function parseJson(bytes: Uint8Array): unknown {
  let text: string;
  try {
    // A copy: browsers refuse to decode from shared memory.
    text = new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array(bytes));
  } catch {
    throw new Error('is not UTF-8');
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('is not JSON');
  }
}

/** Names that PEFT writes without, and some tools write with, the adapter's own name. */
const plainName = (name: string): string => name.replace(/\.lora_([AB])\.default\./, '.lora_$1.');

function byPlainName(tensors: ReadonlyMap<string, Tensor>): Map<string, Tensor> {
  const named = new Map<string, Tensor>();
  for (const [name, tensor] of tensors) {
    const plain = plainName(name);
    if (named.has(plain)) throw new Error(`tensor "${plain}" is there twice`);
    named.set(plain, tensor);
  }
  return named;
}

/** @param rank that of the module, at most that of the slot */
function checkTensor(slot: LoraSlot, rank: number, tensor: Tensor | undefined): Float32Array {
  if (!tensor) throw new Error(`tensor "${slot.name}" is missing`);
  const { shape, data } = tensor;
  const wanted = slot.factor === 'A' ? [rank, slot.shape[1]] : [slot.shape[0], rank];
  const has = shape[slot.factor === 'A' ? 0 : 1];
  if (shape.length === 2 && has !== rank)
    throw new Error(`tensor "${slot.name}" has rank ${has}, ${ADAPTER_CONFIG} says r = ${rank}`);
  if (shape.join() !== wanted.join())
    throw new Error(
      `tensor "${slot.name}" has shape [${shape.join(', ')}], this policy needs [${wanted.join(', ')}]`,
    );
  if (!data.every((value) => Number.isFinite(value)))
    throw new Error(`tensor "${slot.name}" holds a value that is not finite`);
  return data;
}

/** Why a tensor has no place. */
function misplaced(name: string, config: PolicyConfig): string {
  const layer = /\.layers\.(\d+)\./.exec(name)?.[1];
  if (layer !== undefined && Number(layer) >= config.layers)
    return `tensor "${name}" is of layer ${layer}; this policy has ${config.layers} layers`;
  return `tensor "${name}" belongs to none of the modules that ${ADAPTER_CONFIG} names`;
}

/** Writes a factor into its slot, which may have room for a higher rank: what is left over stays zero. */
function fill(
  flat: Float32Array,
  { factor, shape, offset }: LoraSlot,
  data: Float32Array,
  rank: number,
  times: number,
): void {
  if (factor === 'A') return flat.set(data, offset);
  const room = shape[1];
  for (let row = 0; row < shape[0]; row++)
    for (let i = 0; i < rank; i++)
      flat[offset + row * room + i] = times * (data[row * rank + i] ?? 0);
}

/**
 * The factors of all modules in one spec. What is filled up with zeros stays zero in training: the gradient of each factor
 * is a product with the other.
 */
function place(
  policy: PolicyConfig,
  { spec, modules }: PeftConfig,
  tensors: ReadonlyMap<string, Tensor>,
): Float32Array {
  const byModule = new Map(modules.map((one) => [moduleName(one.layer, one.target), one]));
  const slots = loraSlots(policy, spec).flatMap((slot) => {
    const module = byModule.get(moduleName(slot.layer, slot.target));
    return module ? [{ slot, module }] : [];
  });
  const known = new Set(slots.map(({ slot }) => slot.name));
  for (const name of tensors.keys()) if (!known.has(name)) throw new Error(misplaced(name, policy));
  const checked = slots.map(({ slot, module }) => ({
    slot,
    module,
    data: checkTensor(slot, module.rank, tensors.get(slot.name)),
  }));
  const flat = new Float32Array(loraSize(policy, spec));
  const scale = spec.alpha / spec.rank;
  for (const { slot, module, data } of checked) {
    const times = module.scale === scale ? 1 : module.scale / scale;
    fill(flat, slot, data, module.rank, times);
  }
  return flat;
}

/**
 * Reads a PEFT LoRA folder for a policy. Tensors may be F32, F16 or BF16, their names with or
 * without the adapter's name (`lora_A.default.weight`). Modules by pattern or layer, ranks and alphas by pattern and
 * rank-stabilised scaling become one rank and scale that compute the same. A file with gates is read, other ones are
 * ignored.
 *
 * @throws AdapterError for everything that would compute something else than PEFT does: a missing,
 *   unknown or misshapen tensor, values that are not finite, unsupported settings, damaged files
 */
export function readPeft(
  config: PolicyConfig,
  files: readonly { name: string; bytes: Uint8Array }[],
): Adapter {
  const settings = find(files, ADAPTER_CONFIG);
  const parsed = inFile(ADAPTER_CONFIG, () => parsePeftConfig(parseJson(settings), config));
  const { spec, baseName } = parsed;
  const bytes = find(files, ADAPTER_WEIGHTS);
  const flat = inFile(ADAPTER_WEIGHTS, () =>
    place(config, parsed, byPlainName(readSafetensors(bytes))),
  );
  const gated = files.find(({ name }) => name === ADAPTER_GATES);
  if (!gated) return { spec, flat, baseName };
  const { gates, values } = inFile(ADAPTER_GATES, () => readGates(config, gated.bytes));
  const all = new Float32Array(flat.length + values.length);
  all.set(flat);
  all.set(values, flat.length);
  return { spec: { ...spec, gates }, flat: all, baseName };
}
