import { assert as check, constantFrom, nat, property, record, subarray } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toFloat16Bits } from '../../../src/base/float16.ts';
import { initAdapter } from '../../../src/policy/lora/init.ts';
import {
  ADAPTER_CONFIG,
  ADAPTER_WEIGHTS,
  AdapterError,
  readPeft,
  writePeft,
} from '../../../src/policy/lora/peft.ts';
import { toPeftConfig } from '../../../src/policy/lora/peft-config.ts';
import { LORA_TARGETS, loraSlots, type LoraSpec } from '../../../src/policy/lora/spec.ts';
import { Random } from '../../../src/base/random.ts';
import { readSafetensors, writeSafetensors } from '../../../src/policy/checkpoint/safetensors.ts';
import { loadLoraFixture } from '../../fixtures/qwen3-lora/load.ts';

const { config, files: peftFiles } = loadLoraFixture();
const spec: LoraSpec = { rank: 2, alpha: 4, targets: ['q_proj', 'down_proj'] };

function randomAdapter(of: LoraSpec, seed: number): Float32Array {
  const flat = initAdapter(config, of, seed);
  new Random(seed + 1).fillNormal(flat, 1);
  return flat;
}

const flat = randomAdapter(spec, 1);
const good = writePeft(config, spec, flat, 'base');
const bytesOf = (name: string): Uint8Array<ArrayBuffer> =>
  good.find((file) => file.name === name)!.bytes;
const encode = (json: unknown): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(JSON.stringify(json));
const settings = JSON.parse(new TextDecoder().decode(bytesOf(ADAPTER_CONFIG))) as Record<
  string,
  unknown
>;

const withSettings = (changes: Record<string, unknown>): typeof good => [
  { name: ADAPTER_CONFIG, bytes: encode({ ...settings, ...changes }) },
  { name: ADAPTER_WEIGHTS, bytes: bytesOf(ADAPTER_WEIGHTS) },
];

type Tensors = Map<string, { shape: readonly number[]; data: Float32Array }>;

function withTensors(change: (tensors: Tensors) => void): typeof good {
  const tensors: Tensors = new Map(readSafetensors(bytesOf(ADAPTER_WEIGHTS)));
  change(tensors);
  return [
    { name: ADAPTER_CONFIG, bytes: bytesOf(ADAPTER_CONFIG) },
    { name: ADAPTER_WEIGHTS, bytes: writeSafetensors(tensors) },
  ];
}

const Q_A = 'base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight';
const Q_B = 'base_model.model.model.layers.0.self_attn.q_proj.lora_B.weight';

/** The factors as a file of 16-bit values: the upper bits of float32 are bfloat16. */
function as16Bits(dtype: 'F16' | 'BF16'): Uint8Array<ArrayBuffer> {
  const header: Record<string, unknown> = {};
  for (const { name, shape, offset, length } of loraSlots(config, spec))
    header[name] = { dtype, shape, data_offsets: [2 * offset, 2 * (offset + length)] };
  const text = encode(header);
  const out = new Uint8Array(8 + text.length + 2 * flat.length);
  const view = new DataView(out.buffer);
  view.setBigUint64(0, BigInt(text.length), true);
  out.set(text, 8);
  const upper = new Uint16Array(flat.slice().buffer);
  flat.forEach((value, i) =>
    view.setUint16(
      8 + text.length + 2 * i,
      dtype === 'F16' ? toFloat16Bits(value) : upper[2 * i + 1]!,
      true,
    ),
  );
  return out;
}

describe('reading an adapter folder', () => {
  it('reads the folder that PEFT wrote', () => {
    const { spec: read, flat: values, baseName } = readPeft(config, peftFiles);
    expect(read).toEqual({ rank: 4, alpha: 8, targets: LORA_TARGETS });
    expect(baseName).toBe('qwen3-lora');
    const tensors = readSafetensors(peftFiles.find((f) => f.name === ADAPTER_WEIGHTS)!.bytes);
    const slots = loraSlots(config, read);
    expect(slots).toHaveLength(tensors.size);
    for (const { name, offset, length } of slots)
      expect(values.subarray(offset, offset + length)).toEqual(tensors.get(name)!.data);
  });

  it('writes the fields that PEFT writes, with the same values', () => {
    const [theirs] = peftFiles;
    const known = JSON.parse(new TextDecoder().decode(theirs?.bytes)) as Record<string, unknown>;
    const ours = toPeftConfig(readPeft(config, peftFiles).spec, 'qwen3-lora');
    expect(ours).toEqual({
      ...Object.fromEntries(Object.keys(ours).map((key) => [key, known[key]])),
      target_modules: LORA_TARGETS,
    });
  });

  it('reads back, bit for bit, what was written, for any rank, alpha and targets', () => {
    const specs = record({
      rank: nat(9).map((n) => n + 1),
      alpha: constantFrom(0.5, 1, 16, 32.25),
      targets: subarray([...LORA_TARGETS], { minLength: 1 }),
      seed: nat(),
    });
    check(
      property(specs, ({ seed, ...of }) => {
        const values = randomAdapter(of, seed);
        const back = readPeft(config, writePeft(config, of, values, 'a/b'));
        expect(back).toEqual({ spec: of, flat: values, baseName: 'a/b' });
      }),
      { numRuns: 60 },
    );
  });

  it('fills lower ranks up with zeros, and divides B by what its scale is smaller', () => {
    const ofRank = (rank: number, target: 'q_proj' | 'v_proj') =>
      writePeft(config, { rank, alpha: 4, targets: [target] }, flatOf(rank, target), 'base');
    const flatOf = (rank: number, target: 'q_proj' | 'v_proj') =>
      randomAdapter({ rank, alpha: 4, targets: [target] }, rank);
    const tensorsOf = (files: typeof good) =>
      readSafetensors(files.find(({ name }) => name === ADAPTER_WEIGHTS)!.bytes);
    const tensors = new Map([...tensorsOf(ofRank(1, 'q_proj')), ...tensorsOf(ofRank(2, 'v_proj'))]);
    const read = readPeft(config, [
      {
        name: ADAPTER_CONFIG,
        bytes: encode({
          ...settings,
          target_modules: ['q_proj', 'v_proj'],
          rank_pattern: { q_proj: 1 },
          alpha_pattern: { v_proj: 16 },
        }),
      },
      { name: ADAPTER_WEIGHTS, bytes: writeSafetensors(tensors) },
    ]);
    // q: alpha 4 at rank 1, scale 4. v: alpha 16 at rank 2, scale 8.
    expect(read.spec).toEqual({ rank: 2, alpha: 16, targets: ['q_proj', 'v_proj'] });
    for (const { name, target, factor, shape, offset, length } of loraSlots(config, read.spec)) {
      const values = read.flat.subarray(offset, offset + length);
      const given = tensors.get(name)!.data;
      if (target === 'v_proj') expect(values).toEqual(given);
      else if (factor === 'A')
        expect([...values]).toEqual([...given, ...Array.from(given, () => 0)]);
      else expect([...values]).toEqual([...given].flatMap((value) => [value / 2, 0]));
      expect(shape[factor === 'A' ? 0 : 1]).toBe(2);
    }
  });

  it("takes names with the adapter's own name", () => {
    const renamed = withTensors((tensors) => {
      const entries = Array.from(tensors);
      tensors.clear();
      for (const [name, tensor] of entries)
        tensors.set(name.replace('.weight', '.default.weight'), tensor);
    });
    expect(readPeft(config, renamed).flat).toEqual(flat);
  });

  it.each([
    ['F16', 2 ** -11],
    ['BF16', 2 ** -7],
  ] as const)('widens %s', (dtype, relative) => {
    const read = readPeft(config, [good[1]!, { name: ADAPTER_WEIGHTS, bytes: as16Bits(dtype) }]);
    const worst = Math.max(
      ...flat.map((x, i) => Math.abs(read.flat[i]! - x) / Math.max(Math.abs(x), 1e-3)),
    );
    expect(worst).toBeGreaterThan(0);
    expect(worst).toBeLessThanOrEqual(relative);
  });
});

describe('a folder that cannot be used is refused with one line', () => {
  it.each<[string, Record<string, unknown>, RegExp]>([
    ['DoRA', { use_dora: true }, /use_dora is true; it is not supported/],
    ['another method', { peft_type: 'IA3' }, /peft_type is "IA3"; only "LORA"/],
    ['another task', { task_type: 'SEQ_CLS' }, /task_type is "SEQ_CLS"/],
    ['trained biases', { bias: 'all' }, /bias is "all"/],
    [
      'a rank by pattern that is not that of the tensors',
      { rank_pattern: { q_proj: 8 } },
      /has rank 2, adapter_config.json says r = 8/,
    ],
    ['saved modules', { modules_to_save: ['lm_head'] }, /modules_to_save is set/],
    [
      'an unknown module',
      { target_modules: ['q_proj', 'lm_head'] },
      /target_modules holds "lm_head"/,
    ],
    [
      'a pattern that asks for more than there is',
      { target_modules: '.*proj' },
      /k_proj.lora_A.weight" is missing/,
    ],
    [
      'a pattern that is not read',
      { target_modules: '(?i).*Q_PROJ' },
      /target_modules is the pattern "\(\?i\).\*Q_PROJ", which is not read here/,
    ],
    [
      'a pattern with the head',
      { target_modules: '.*(_proj|head)' },
      /target_modules holds "lm_head"/,
    ],
    [
      'a pattern without a module',
      { target_modules: '.*query' },
      /target_modules and its limits match no module/,
    ],
    [
      'a rank pattern that is not read',
      { rank_pattern: { '(q': 2 } },
      /rank_pattern is the pattern "\(q", which is not read here/,
    ],
    [
      'layers beside a pattern',
      { target_modules: '.*(q|down)_proj', layers_to_transform: [0] },
      /layers_to_transform is set beside a pattern/,
    ],
    [
      'layers of a list that this policy has not',
      { layers_to_transform: [0], layers_pattern: 'h' },
      /layers_pattern does not hold "layers"/,
    ],
    [
      'a tensor of a layer that has no adapter',
      { layers_to_transform: [0] },
      /layers.1.self_attn.q_proj.lora_A.weight" belongs to none of the modules/,
    ],
    [
      'a tensor of a module that was left out',
      { exclude_modules: ['down_proj'] },
      /down_proj.lora_A.weight" belongs to none of the modules/,
    ],
    ['no module', { target_modules: [] }, /target_modules is empty/],
    ['a changed base', { init_lora_weights: 'pissa_niter_4' }, /changes the base weights/],
    ['no rank', { r: undefined }, /r: .*expected number/i],
    ['rank 0', { r: 0 }, /r: /],
    [
      'a rank that is not that of the tensors',
      { r: 3 },
      /has rank 2, adapter_config.json says r = 3/,
    ],
    ['a huge rank', { r: 2 ** 52 }, /has rank 2/],
    ['an alpha of null', { lora_alpha: null }, /lora_alpha: /],
    [
      'a target without tensors',
      { target_modules: ['q_proj', 'v_proj', 'down_proj'] },
      /v_proj.lora_A.weight" is missing/,
    ],
    ['a tensor without target', { target_modules: ['q_proj'] }, /belongs to none of the modules/],
  ])('%s', (_, changes, message) => {
    expect(() => readPeft(config, withSettings(changes))).toThrow(message);
    expect(() => readPeft(config, withSettings(changes))).toThrow(AdapterError);
  });

  it.each<[string, (tensors: Tensors) => void, RegExp]>([
    [
      'a missing factor',
      (t) => void t.delete(Q_B),
      /layers.0.self_attn.q_proj.lora_B.weight" is missing/,
    ],
    [
      'the factors of a wider policy',
      (t) => void t.set(Q_A, { shape: [2, 56], data: new Float32Array(112) }),
      /has shape \[2, 56\], this policy needs \[2, 48\]/,
    ],
    [
      'a factor with one axis',
      (t) => void t.set(Q_A, { shape: [96], data: new Float32Array(96) }),
      /has shape \[96\]/,
    ],
    [
      'a layer too many',
      (t) => void t.set(Q_A.replace('.0.', '.7.'), t.get(Q_A)!),
      /is of layer 7; this policy has 2 layers/,
    ],
    [
      'one factor twice',
      (t) => void t.set(Q_A.replace('.weight', '.default.weight'), t.get(Q_A)!),
      /is there twice/,
    ],
    [
      'a value that is no number',
      (t) => void t.set(Q_A, { shape: [2, 48], data: new Float32Array(96).fill(Number.NaN) }),
      /holds a value that is not finite/,
    ],
  ])('%s', (_, change, message) => {
    expect(() => readPeft(config, withTensors(change))).toThrow(message);
  });

  it('missing and damaged files, by name', () => {
    const [weights, json] = [bytesOf(ADAPTER_WEIGHTS), bytesOf(ADAPTER_CONFIG)];
    const refused = (files: { name: string; bytes: Uint8Array }[]): string => {
      try {
        readPeft(config, files);
      } catch (error) {
        expect(error).toBeInstanceOf(AdapterError);
        return (error as AdapterError).message;
      }
      return 'read';
    };
    expect(refused([])).toBe('adapter_config.json: is missing from the folder');
    expect(refused([good[1]!])).toBe('adapter_model.safetensors: is missing from the folder');
    expect(refused([good[1]!, { name: 'adapter_model.bin', bytes: weights }])).toMatch(/pickle/);
    expect(refused([good[0]!, { name: ADAPTER_CONFIG, bytes: json.subarray(1) }])).toBe(
      'adapter_config.json: is not JSON',
    );
    expect(refused([good[1]!, { name: ADAPTER_WEIGHTS, bytes: weights.subarray(0, 40) }])).toMatch(
      /^adapter_model.safetensors: safetensors: the header claims/,
    );
  });

  /** Applies one random change to a file. */
  function mutate(bytes: Uint8Array, kind: number, at: number, value: number): Uint8Array {
    const where = at % Math.max(1, bytes.length);
    if (kind === 0) return bytes.subarray(0, where);
    if (kind === 1) {
      const out = bytes.slice();
      out[where] = value;
      return out;
    }
    const out = new Uint8Array(bytes.length + 1);
    out.set(bytes.subarray(0, where));
    out[where] = value;
    out.set(bytes.subarray(where), where + 1);
    return out;
  }

  it('thousands of damaged files: each is read as an adapter of its spec or refused in one line', () => {
    const headerEnd =
      8 + Number(new DataView(bytesOf(ADAPTER_WEIGHTS).buffer).getBigUint64(0, true));
    let refusals = 0;
    const damage = record({
      name: constantFrom(ADAPTER_CONFIG, ADAPTER_WEIGHTS),
      changes: nat(3).map((n) => n + 1),
      seed: nat(),
    });
    check(
      property(damage, ({ name, changes, seed }) => {
        const random = new Random(seed);
        const files = good.map((file) => {
          if (file.name !== name) return file;
          let bytes: Uint8Array = file.bytes;
          // Most changes meet the header, where the structure is.
          const span = random.uniform() < 0.8 ? headerEnd : bytes.length;
          for (let i = 0; i < changes; i++)
            bytes = mutate(bytes, random.below(3), random.below(span), random.below(256));
          return { name, bytes };
        });
        try {
          const read = readPeft(config, files);
          expect(read.flat.length).toBe(
            loraSlots(config, read.spec).reduce((sum, slot) => sum + slot.length, 0),
          );
          expect(read.flat.every((x) => Number.isFinite(x))).toBe(true);
        } catch (error) {
          if (!(error instanceof AdapterError)) throw error;
          refusals++;
          expect(error.message).toMatch(/^adapter_(config\.json|model\.safetensors): \S.*$/);
          expect(error.message.length).toBeLessThan(700);
        }
      }),
      { numRuns: 4000 },
    );
    expect(refusals).toBeGreaterThan(2000);
  });
});

it('refuses to write an adapter of another length', () => {
  expect(() => writePeft(config, spec, flat.subarray(1), 'base')).toThrow(
    `${flat.length - 1} values given, this shape has ${flat.length}`,
  );
  expect(() => writePeft(config, { ...spec, rank: 0 }, flat, 'base')).toThrow(/rank must be/);
});
