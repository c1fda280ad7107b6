import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { CheckpointError } from '../../../src/policy/checkpoint/checkpoint-error.ts';
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
