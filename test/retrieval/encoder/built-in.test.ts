import { beforeAll, describe, expect, test, vi } from 'vitest';
import { Random } from '../../../src/base/random.ts';
import { fetchFromDisk, openOrtFromDisk } from '../../../src/cli/shared/build-world.ts';
import type { FetchFile } from '../../../src/base/fetch-file.ts';
import type { Passage } from '../../../src/records/records.ts';
import { exportOnnx } from '../../../src/pretrain/encoder/onnx-export.ts';
import { initialWeights } from '../../../src/pretrain/encoder/initial-weights.ts';
import { readOnnx } from '../../../src/retrieval/encoder/built-in/onnx-file.ts';
import { OnnxEncoder } from '../../../src/retrieval/encoder/encoder.ts';
import type { OrtModule } from '../../../src/retrieval/encoder/runtime.ts';
import { TextModelSession } from '../../../src/retrieval/encoder/text-model-session.ts';
import { loadWorld } from '../../../src/retrieval/world/load.ts';

/** The built-in encoder runs a few texts without onnxruntime; here beside what onnxruntime makes of the same file. */

const shipped = fetchFromDisk('public/encoder');
let ort: OrtModule;
let file: Uint8Array;
let passages: readonly Passage[];
let queries: string[];

beforeAll(async () => {
  ort = await openOrtFromDisk();
  file = await shipped('model.onnx');
  const world = await loadWorld(fetchFromDisk('public/world'));
  passages = world.local;
  queries = world.questions.flatMap(({ chain = [] }) => chain.map(({ query }) => query));
}, 60_000);

/** The shipped folder with a file in the place of its model. */
const withModel =
  (model: Uint8Array): FetchFile =>
  (name, ...rest) =>
    name === 'model.onnx' ? Promise.resolve(model) : shipped(name, ...rest);

/** The greatest difference between two lists of numbers of one length. */
const apart = (a: Float32Array, b: Float32Array): number => {
  expect(a).toHaveLength(b.length);
  return a.reduce((most, value, i) => Math.max(most, Math.abs(value - (b[i] ?? NaN))), 0);
};

const counted = () => vi.fn(() => Promise.resolve(ort));

describe('a query, and a few passages', () => {
  test('get the vectors that onnxruntime gives, to a millionth, without it', async () => {
    const open = counted();
    const ours = await OnnxEncoder.open(shipped, open);
    const asked = [...queries.slice(0, 100), '', 'a', 'word '.repeat(300)];
    const session = vi.spyOn(TextModelSession.prototype, 'run');
    const vectors: Float32Array[] = [];
    for (const query of asked) vectors.push(await ours.encodeQuery(query));
    const few = passages.slice(0, 16);
    vectors.push((await ours.encodePassages(few)).values);
    expect(session).not.toHaveBeenCalled();
    expect(open).not.toHaveBeenCalled();
    session.mockRestore();

    // An encoder whose built-in model is not recognized runs everything by onnxruntime.
    const other = await OnnxEncoder.open(withModel(renamed()), () => Promise.resolve(ort));
    const expected: Float32Array[] = [];
    for (const query of asked) expected.push(await other.encodeQuery(query));
    expected.push((await other.encodePassages(few)).values);
    vectors.forEach((vector, i) => expect(apart(vector, expected[i]!)).toBeLessThan(1e-6));
    await other.dispose();
  });

  test('many passages get those of onnxruntime to the bit, which is loaded once', async () => {
    const open = counted();
    const ours = await OnnxEncoder.open(shipped, open);
    const other = await OnnxEncoder.open(withModel(renamed()), () => Promise.resolve(ort));
    const many = passages.slice(0, 17);
    const { values } = await ours.encodePassages(many);
    expect(values).toEqual((await other.encodePassages(many)).values);
    await ours.encodePassages(many);
    expect(open).toHaveBeenCalledTimes(1);
    await ours.dispose();
  });

  test('onnxruntime that did not arrive is asked for again', async () => {
    const open = vi
      .fn<() => Promise<OrtModule>>()
      .mockRejectedValueOnce(new Error('offline'))
      .mockImplementation(() => Promise.resolve(ort));
    const ours = await OnnxEncoder.open(shipped, open);
    const many = passages.slice(0, 17);
    await expect(ours.encodePassages(many)).rejects.toThrow('offline');
    expect((await ours.encodePassages(many)).values).toHaveLength(17 * ours.dimensions);
  });
});

/** The shipped file, its maker's name changed: another program's model to the reader, the same to onnxruntime. */
function renamed(): Uint8Array {
  const copy = file.slice();
  const at = Buffer.from(copy.buffer).indexOf('forage');
  copy.set(new TextEncoder().encode('nobody'), at);
  return copy;
}

describe('the ONNX file', () => {
  test('is read whole', () => {
    const read = readOnnx(file);
    expect(read?.config).toMatchObject({ hidden: 128, inner: 128, layers: 2, out: 96 });
    expect(read?.weights['tokens']?.every(Number.isFinite)).toBe(true);
  });

  test('of another maker, cut off or damaged, is never half read', () => {
    expect(readOnnx(renamed())).toBeNull();
    expect(readOnnx(new Uint8Array())).toBeNull();
    const config = { vocabSize: 9, hidden: 4, inner: 3, layers: 2, out: 5, maxTokens: 6 };
    const random = new Random(7);
    const small = exportOnnx(
      config,
      initialWeights(config, () => random.normal()),
    );
    const whole = readOnnx(small)!;
    expect(whole.config).toEqual(config);
    for (let end = 0; end < small.length - 1; end += 3)
      expect(readOnnx(small.subarray(0, end))?.config ?? config).toEqual(config);
    for (let i = 0; i < 5000; i++) {
      const broken = small.slice();
      broken[random.below(broken.length)] = random.below(256);
      const read = readOnnx(broken);
      // What passes has every parameter, with a value in every place.
      if (read)
        for (const [name, values] of Object.entries(whole.weights))
          expect(read.weights[name]).toHaveLength(values.length);
    }
  });

  test('that knows fewer tokens than its tokenizer gives ends with an error that names both', async () => {
    const tokenizer: FetchFile = async (name, ...rest) => {
      const bytes = await shipped(name, ...rest);
      if (name !== 'tokenizer.json') return bytes;
      const json = JSON.parse(new TextDecoder().decode(bytes)) as {
        model: { vocab: Record<string, number> };
      };
      for (const key of Object.keys(json.model.vocab)) json.model.vocab[key] = 60_000;
      return new TextEncoder().encode(JSON.stringify(json));
    };
    const encoder = await OnnxEncoder.open(tokenizer, counted());
    await expect(encoder.encodeQuery('river')).rejects.toThrow(
      /^tokenizer\.json gives token 60000; model\.onnx knows \d+$/,
    );
  });
});
