import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { CheckpointError } from '../../../src/policy/checkpoint/checkpoint-error.ts';
import {
  memoryFiles,
  type CheckpointFiles,
} from '../../../src/policy/checkpoint/checkpoint-files.ts';
import { parsePolicyConfig } from '../../../src/policy/checkpoint/config.ts';
import { encodeHeader } from '../../../src/policy/checkpoint/safetensors.ts';
import {
  initWeights,
  parameterSlots,
  readWeights,
  writeWeights,
} from '../../../src/policy/checkpoint/weights.ts';
import { describeFailure } from '../../../src/lab/contract/failures.ts';
import { loadPolicy } from '../../../src/policy/open/load.ts';

const fixture = new URL('../../fixtures/qwen3-tiny/', import.meta.url);
const original = (name: string): Promise<Uint8Array> => readFile(new URL(name, fixture));

/** The fixture with some files replaced; undefined: missing. */
function filesWith(changed: Record<string, Uint8Array | undefined>) {
  return (name: string): Promise<Uint8Array> => {
    if (!(name in changed)) return original(name);
    const bytes = changed[name];
    return bytes ? Promise.resolve(bytes) : Promise.reject(new Error('HTTP 404'));
  };
}

async function faultOf(changed: Record<string, Uint8Array | undefined>): Promise<CheckpointError> {
  const loading = loadPolicy({ files: filesWith(changed), id: 'tiny', device: 'wasm' });
  const error = await loading.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(CheckpointError);
  return error as CheckpointError;
}

const text = (value: string): Uint8Array => new TextEncoder().encode(value);

test('a policy knows its checkpoint', async () => {
  const stages: string[] = [];
  const policy = await loadPolicy({
    files: original,
    id: 'tiny',
    device: 'wasm',
    onProgress: ({ stage }) => stages.push(stage),
  });
  expect(policy.info).toMatchObject({
    id: 'tiny',
    parameters: 21_696,
    maxContext: 256,
    device: 'wasm',
    dtype: 'f32',
  });
  expect(policy.info.revision).toMatch(/^[0-9a-f]{12}$/);
  expect(policy.tokenizer.vocabSize).toBe(288);
  expect(policy.tokenizer.specialId('</search>')).toBe(9);
  expect(policy.tokenizer.decode(policy.tokenizer.encodeText('<search> é'))).toBe('<search> é');
  expect(stages[0]).toBe('reading config.json');
  expect(stages.at(-1)).toBe('ready');
  policy.dispose();
});

test('f16 weights are told as such, and another file is another revision', async () => {
  const half = await original('model-f16.safetensors');
  const files = filesWith({ 'model.safetensors': half });
  const [a, b] = [
    await loadPolicy({ files, id: 'half', device: 'wasm' }),
    await loadPolicy({ files: original, id: 'full', device: 'wasm' }),
  ];
  expect(a.info.dtype).toBe('f16');
  expect(a.info.revision).not.toBe(b.info.revision);
  a.dispose();
  b.dispose();
});

test('missing files are named with what to do', async () => {
  for (const name of ['config.json', 'tokenizer.json', 'model.safetensors']) {
    const error = await faultOf({ [name]: undefined });
    expect(error.file).toBe(name);
    expect(error.message).toMatch(`${name}: cannot be read (HTTP 404)`);
    expect(error.message).toMatch(/config.json, tokenizer.json and model.safetensors/);
  }
});

test('broken files are named with what is wrong', async () => {
  const cut = (await original('model.safetensors')).subarray(0, 50_000);
  const gemma = text(
    JSON.stringify({
      ...JSON.parse(Buffer.from(await original('config.json')).toString()),
      model_type: 'gemma3',
    }),
  );
  const cases: [string, Uint8Array, RegExp][] = [
    ['config.json', text('{'), /JSON/],
    ['config.json', text('[]'), /vocab_size|object/],
    ['config.json', gemma, /model_type is "gemma3"/],
    ['tokenizer.json', text('{}'), /tokenizer.json: /],
    ['model.safetensors', text('no weights'), /safetensors/],
    ['model.safetensors', new Uint8Array(cut), /safetensors/],
  ];
  for (const [name, bytes, message] of cases) {
    const error = await faultOf({ [name]: bytes });
    expect(error.file).toBe(name);
    expect(error.message).toMatch(message);
    expect(error.message).toMatch(/again\.?$/);
  }
});

test('files of different checkpoints are refused', async () => {
  const config = JSON.parse(Buffer.from(await original('config.json')).toString()) as object;
  const error = await faultOf({
    'config.json': text(JSON.stringify({ ...config, vocab_size: 64 })),
  });
  expect(error.message).toMatch(/belong to different checkpoints/);
});

const configWith = async (changes: object): Promise<object> => ({
  ...(JSON.parse(Buffer.from(await original('config.json')).toString()) as object),
  ...changes,
});

/** What the page says of it. */
async function saidOf(files: CheckpointFiles): Promise<string> {
  const failed = await loadPolicy({ files, id: 'bad', device: 'wasm' }).then(
    () => null,
    (error: unknown) => error,
  );
  return describeFailure(failed).message;
}

test.each(['f32', 'int4'] as const)(
  'a value that is no number is refused in %s with the tensor that holds it, and what to do',
  async (weights) => {
    const names = ['config.json', 'tokenizer.json'];
    const files = new Map(
      await Promise.all(names.map(async (name) => [name, await original(name)] as const)),
    );
    const config = parsePolicyConfig(await configWith({}));
    const values = readWeights(config, await original('model.safetensors'));
    values.layers[1]?.down.fill(Number.NaN, 5, 6);
    files.set('model.safetensors', writeWeights(values, 'F32'));
    await expect(
      loadPolicy({ files: memoryFiles(files), id: 'bad', device: 'wasm', weights }),
    ).rejects.toThrow(
      /"model\.layers\.1\.mlp\.down_proj\.weight" holds NaN.*download or convert the checkpoint again/,
    );
  },
);

test('a vocabulary beyond the tokenizer, as padded checkpoints have it, is loaded; such tokens have no text', async () => {
  const config = parsePolicyConfig(await configWith({ vocab_size: 320 }));
  const padded = initWeights(config, 1);
  const policy = await loadPolicy({
    files: filesWith({
      'config.json': text(JSON.stringify(await configWith({ vocab_size: 320 }))),
      'model.safetensors': writeWeights(padded, 'F32'),
    }),
    id: 'padded',
    device: 'wasm',
  });
  const session = await policy.open(1);
  session.append([300, 319, 5]);
  const sampling = { temperature: 3, topK: 0, topP: 1 };
  const { ids } = await session.generate({ maxTokens: 200, stopIds: [], sampling });
  expect(Math.max(...ids)).toBeGreaterThanOrEqual(288);
  const { tokenizer } = policy;
  expect(tokenizer.decode(ids)).toBe(tokenizer.decode(ids.filter((id) => id < 288)));
  policy.dispose();
});

test('what the device has no memory for says so, and what to choose instead', async () => {
  // An embedding of 16 GB, of which not a byte is read.
  const json = await configWith({ vocab_size: 16_000_000, hidden_size: 256 });
  const config = parsePolicyConfig(json);
  const header = encodeHeader(parameterSlots(config), 'F32');
  const bodies = new Map([['config.json', text(JSON.stringify(json))]]);
  bodies.set('tokenizer.json', await original('tokenizer.json'));
  const values = parameterSlots(config).reduce((sum, { length }) => sum + length, 0);
  const files: CheckpointFiles = {
    size: async (name) =>
      name === 'model.safetensors'
        ? header.length + 4 * values
        : (bodies.get(name)?.length ?? null),
    readRange: async (name, start, end) => {
      const bytes = new Uint8Array(end - start);
      const body = name === 'model.safetensors' ? header : bodies.get(name);
      bytes.set(body?.subarray(start, end) ?? []);
      return bytes;
    },
  };
  expect(await saidOf(files)).toMatch(
    /no memory for .*embed_tokens.*Choose packed weights \(int4\)/,
  );
});
