import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import type { Passage } from '../../../src/records/records.ts';
import { OnnxEncoder } from '../../../src/retrieval/encoder/encoder.ts';
import { loadOrt, ORT_WASM_FILE } from '../../../src/retrieval/encoder/runtime.ts';
import { bertTokenizer, fakeOrt, folder, shown, type Inputs } from './fake-ort.ts';

const manifest = {
  format: 'forage.encoder/1',
  id: 'tiny',
  model: 'model.onnx',
  tokenizer: 'tokenizer.json',
  maxTokens: 4,
  dimensions: 1,
  pooling: 'none',
  normalize: false,
  queryPrefix: 'b ',
  passagePrefix: 'c ',
  layout: 'plain',
};
const files = (change: object = {}, tokenizer = bertTokenizer()) =>
  folder({ 'encoder.json': { ...manifest, ...change }, 'tokenizer.json': tokenizer });

const passage = (id: string, title: string, text: string): Passage => ({
  id,
  title,
  text,
  sentences: [text],
});

/** A model that gives the first id of every row, and remembers what it was shown. */
function model(change: object = {}, more: Partial<Parameters<typeof fakeOrt>[0]> = {}) {
  const seen: Inputs[] = [];
  const fake = fakeOrt({
    compute: (inputs) => {
      seen.push(inputs);
      return Float32Array.from(shown(inputs), (ids) => ids[0] ?? 0);
    },
    ...more,
  });
  return { ...fake, seen, open: () => OnnxEncoder.open(files(change), async () => fake.ort) };
}

describe('what the model is shown', () => {
  test('a query with its prefix, cut, and put to lower case where the manifest says so', async () => {
    const { seen, open } = model();
    expect([...(await (await open()).encodeQuery(' a e f g '))]).toEqual([9]);
    // b, a, e, f of the four tokens that there is room for.
    expect(seen.map(shown)).toEqual([[[9, 8, 12, 13]]]);
    const special = model({ specialTokens: true, lowerCase: true });
    await (await special.open()).encodeQuery('A e');
    expect(special.seen.map(shown)).toEqual([[[2, 9, 8, 3]]]);
  });

  test('case is kept where the manifest does not say so', async () => {
    const { normalizer, ...rest } = bertTokenizer();
    expect(normalizer).toMatchObject({ lowercase: true });
    const kept = { ...rest, normalizer: null };
    for (const [lowerCase, ids] of [
      [false, [9, 1]],
      [true, [9, 8]],
    ] as const) {
      const { ort, seen } = model();
      const encoder = await OnnxEncoder.open(files({ lowerCase }, kept), async () => ort);
      await encoder.encodeQuery('A');
      expect(seen.map(shown)).toEqual([[[...ids]]]);
    }
  });

  test('rows padded with the id of the manifest, one input for each that the model names', async () => {
    const inputs = ['position_ids', 'token_type_ids', 'attention_mask', 'input_ids'];
    const { seen, open } = model({ padId: 7, specialTokens: true, passagePrefix: '' }, { inputs });
    const vectors = await (
      await open()
    ).encodePassages([passage('1', 'a', 'b'), passage('2', 'a', '')]);
    // The shorter one stands first in the batch, and second in the table.
    expect(seen).toEqual([
      {
        rows: 2,
        length: 4,
        of: {
          input_ids: [2, 8, 3, 7, 2, 8, 9, 3],
          attention_mask: [1, 1, 1, 0, 1, 1, 1, 1],
          token_type_ids: [0, 0, 0, 0, 0, 0, 0, 0],
          position_ids: [0, 1, 2, 3, 0, 1, 2, 3],
        },
      },
    ]);
    expect(vectors.dimensions).toBe(1);
  });

  test('a query once, however often it is asked; the last 1,024 are remembered', async () => {
    const { seen, open } = model();
    const encoder = await open();
    const first = await encoder.encodeQuery('a');
    expect(await encoder.encodeQuery('a')).toBe(first);
    expect(seen).toHaveLength(1);
    for (let i = 1; i < 1024; i++) await encoder.encodeQuery(`a ${i}`);
    await encoder.encodeQuery('a');
    expect(seen).toHaveLength(1024);
    await encoder.encodeQuery('one more');
    await encoder.encodeQuery('a');
    expect(seen).toHaveLength(1025);
    await encoder.encodeQuery('a 1');
    expect(seen).toHaveLength(1026);
  });

  test('a query that is given up is not remembered', async () => {
    const { seen, open } = model();
    const encoder = await open();
    const signal = AbortSignal.abort(new Error('given up'));
    await expect(encoder.encodeQuery('a', signal)).rejects.toThrow('given up');
    await encoder.encodeQuery('a');
    expect(seen).toHaveLength(2);
  });
});

describe('many passages', () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, i) => passage(`${i}`, i % 2 === 0 ? 'a' : 'b', 'c d'));

  test('in windows of 1,024 and runs of 32, each vector in its row', async () => {
    const { open, seen } = model({ passagePrefix: '', maxTokens: 9 });
    const progress: [number, number][] = [];
    const { values } = await (
      await open()
    ).encodePassages(many(1060), (done, total) => void progress.push([done, total]));
    expect([...values]).toEqual(many(1060).map(({ title }) => (title === 'a' ? 8 : 9)));
    const whole = Array.from({ length: 32 }, (_, i) => [32 * (i + 1), 1060]);
    expect(progress).toEqual([...whole, [1056, 1060], [1060, 1060]]);
    expect(seen.every((inputs) => inputs.rows <= 32)).toBe(true);
  });

  test('none', async () => {
    const { open, seen } = model();
    expect(await (await open()).encodePassages([])).toEqual({
      dimensions: 1,
      values: new Float32Array(),
    });
    expect(seen).toEqual([]);
  });
});

describe('what comes out', () => {
  const vector = async (change: object, compute: Parameters<typeof fakeOrt>[0]['compute']) => {
    const { ort } = fakeOrt({ compute });
    const encoder = await OnnxEncoder.open(files({ dimensions: 2, ...change }), async () => ort);
    return [...(await encoder.encodeQuery('a'))];
  };

  test('is scaled to length 1 where the manifest says so', async () => {
    expect(await vector({}, () => Float32Array.of(3, 4))).toEqual([3, 4]);
    const unit = await vector({ normalize: true }, () => Float32Array.of(3, 4));
    expect(unit).toEqual([Math.fround(0.6), Math.fround(0.8)]);
  });

  test('is pooled as the manifest says', async () => {
    // Two tokens: the prefix and the query.
    const states = () => Float32Array.of(1, 2, 5, 4);
    expect(await vector({ pooling: 'mean' }, states)).toEqual([3, 3]);
    expect(await vector({ pooling: 'last' }, states)).toEqual([5, 4]);
    await expect(vector({ pooling: 'none' }, states)).rejects.toThrow(
      'the encoder gave 4 values, expected 2',
    );
  });

  test.each([
    ['halves as bits', 'float16', Uint16Array.of(0x3c00, 0xc000)],
    ['halves as numbers', 'float16', [1, -2]],
    ['single precision', 'float32', Float32Array.of(1, -2)],
  ])('may be %s', async (_, type, data) => {
    const { ort } = fakeOrt({ type, compute: () => data });
    const encoder = await OnnxEncoder.open(files({ dimensions: 2 }), async () => ort);
    expect([...(await encoder.encodeQuery('a'))]).toEqual([1, -2]);
  });

  test('must be floating-point numbers', async () => {
    for (const [type, data] of [
      ['int64', BigInt64Array.of(1n) as unknown as ArrayLike<number>],
      ['uint16', Uint16Array.of(1)],
    ] as const) {
      const { ort } = fakeOrt({ type, compute: () => data });
      const encoder = await OnnxEncoder.open(files(), async () => ort);
      await expect(encoder.encodeQuery('a')).rejects.toThrow(
        'the model\'s output "state" holds no floating-point numbers',
      );
    }
  });

  test('is the first output, or the one that the manifest names', async () => {
    const asked: string[] = [];
    const several = () =>
      fakeOrt({
        outputs: ['first', 'second'],
        compute: (_, output) => (asked.push(output), Float32Array.of(1)),
      });
    await (await OnnxEncoder.open(files(), async () => several().ort)).encodeQuery('a');
    await (
      await OnnxEncoder.open(files({ output: 'second' }), async () => several().ort)
    ).encodeQuery('a');
    expect(asked).toEqual(['first', 'second']);
  });
});

describe('one run after another', () => {
  test('also after one that failed', async () => {
    const events: string[] = [];
    let runs = 0;
    const { ort, released } = fakeOrt({
      compute: async () => {
        const run = ++runs;
        events.push(`start ${run}`);
        await new Promise((resolve) => setTimeout(resolve, 5));
        events.push(`end ${run}`);
        if (run === 2) throw new Error('out of memory');
        return Float32Array.of(run);
      },
    });
    const encoder = await OnnxEncoder.open(files(), async () => ort);
    const asked = ['a', 'b', 'c'].map((query) => encoder.encodeQuery(query));
    const disposed = encoder.dispose().then(() => events.push('released'));
    const settled = await Promise.allSettled(asked);
    await disposed;
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(events).toEqual([1, 2, 3].flatMap((i) => [`start ${i}`, `end ${i}`]).concat('released'));
    expect(released()).toBe(1);
  });

  test('it is given up after a run that failed, too', async () => {
    const { ort, released } = fakeOrt({ compute: () => Promise.reject(new Error('lost')) });
    const encoder = await OnnxEncoder.open(files(), async () => ort);
    await expect(encoder.encodeQuery('a')).rejects.toThrow('lost');
    await encoder.dispose();
    expect(released()).toBe(1);
  });
});

describe('a folder that cannot be used', () => {
  const compute = () => Float32Array.of(1);
  test('of a model without the output, or with inputs of another kind; it is let go', async () => {
    const outputs = fakeOrt({ outputs: ['x', 'y'], compute });
    await expect(OnnxEncoder.open(files({ output: 'z' }), async () => outputs.ort)).rejects.toThrow(
      'model.onnx: has no output "z"; it has x, y',
    );
    expect(outputs.released()).toBe(1);
    const inputs = fakeOrt({ inputs: ['input_ids', 'pixels', 'sound'], compute });
    await expect(OnnxEncoder.open(files(), async () => inputs.ort)).rejects.toThrow(
      'model.onnx: needs unknown inputs: pixels, sound',
    );
    expect(inputs.released()).toBe(1);
  });

  test('of a tokenizer whose template is not known; before the model is loaded', async () => {
    const bare = bertTokenizer();
    const odd = {
      ...bare,
      // It writes nothing of the text.
      post_processor: {
        ...(bare['post_processor'] as object),
        single: [{ SpecialToken: { id: '[CLS]', type_id: 0 } }],
      },
    };
    const { ort, created } = fakeOrt({ compute });
    await expect(
      OnnxEncoder.open(files({ specialTokens: true }, odd), async () => ort),
    ).rejects.toThrow('tokenizer.json: the tokenizer writes special tokens in an unknown way');
    expect(created).toEqual([]);
    // Without special tokens the template is not used.
    const { ort: other } = fakeOrt({ compute });
    expect((await OnnxEncoder.open(files({}, odd), async () => other)).id).toBe('tiny');
  });

  test.each(['id', 'model', 'tokenizer'])('without a name: %s', async (field) => {
    const { ort } = fakeOrt({ compute });
    await expect(OnnxEncoder.open(files({ [field]: '' }), async () => ort)).rejects.toThrow(
      `encoder.json: ${field}`,
    );
    expect((await OnnxEncoder.open(files({ id: 'x' }), async () => ort)).id).toBe('x');
  });
  test.each([
    ['maxTokens', 0],
    ['dimensions', 0],
    ['padId', -1],
    ['pooling', 'sum'],
    ['layout', 'other'],
    ['format', 'forage.encoder/2'],
  ])('%s of %j', async (field, value) => {
    const { ort } = fakeOrt({ compute });
    await expect(OnnxEncoder.open(files({ [field]: value }), async () => ort)).rejects.toThrow(
      `encoder.json: ${field}`,
    );
  });
  test.each(['none', 'mean', 'max', 'cls', 'last'])(
    'but pooling by %s is known',
    async (pooling) => {
      const { ort } = fakeOrt({ compute });
      const encoder = await OnnxEncoder.open(files({ pooling, layout: 'forage' }), async () => ort);
      expect(encoder.manifest).toMatchObject({ pooling, layout: 'forage' });
    },
  );
});

test('the device is the one that is asked for, WebAssembly unless told', async () => {
  const { ort, created } = fakeOrt({ compute: () => Float32Array.of(1) });
  await OnnxEncoder.open(files(), async () => ort);
  await OnnxEncoder.open(files(), async () => ort, 'webgpu');
  const bytes = new TextEncoder().encode('model');
  expect(created).toEqual([
    [bytes, { executionProviders: ['wasm'] }],
    [bytes, { executionProviders: ['webgpu'] }],
  ]);
});

test('stored vectors are found by all that the manifest says, in one order', async () => {
  const { ort } = fakeOrt({ compute: () => Float32Array.of(1) });
  const short = {
    format: 'forage.encoder/1',
    id: 'tiny',
    model: 'model.onnx',
    tokenizer: 'tokenizer.json',
    maxTokens: 4,
    dimensions: 1,
    pooling: 'none',
    normalize: false,
    queryPrefix: '',
    passagePrefix: '',
  };
  const open = (encoder: object) =>
    OnnxEncoder.open(
      folder({ 'encoder.json': encoder, 'tokenizer.json': bertTokenizer() }),
      async () => ort,
    );
  const { revision } = await open(short);
  expect(JSON.parse(revision)).toEqual([
    ['dimensions', 1],
    ['format', 'forage.encoder/1'],
    ['id', 'tiny'],
    ['layout', 'forage'],
    ['lowerCase', false],
    ['maxTokens', 4],
    ['model', 'model.onnx'],
    ['normalize', false],
    ['padId', 0],
    ['passagePrefix', ''],
    ['pooling', 'none'],
    ['queryPrefix', ''],
    ['specialTokens', false],
    ['tokenizer', 'tokenizer.json'],
  ]);
  const turned = Object.fromEntries(Object.entries(short).toReversed());
  expect((await open({ ...turned, padId: 0 })).revision).toBe(revision);
  expect((await open({ ...short, padId: 1 })).revision).not.toBe(revision);
});

test('onnxruntime runs on the bytes that it is given, in one thread, and tells errors alone', async () => {
  const bytes = await readFile(`node_modules/onnxruntime-web/dist/${ORT_WASM_FILE.wasm}`);
  const { env } = await loadOrt('wasm', bytes);
  expect(env.wasm.wasmBinary).toBe(bytes);
  expect([env.wasm.numThreads, env.logLevel]).toEqual([1, 'error']);
});
