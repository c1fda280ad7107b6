import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { getTraining } from '../../../../src/systems/index.ts';
import { initialState } from '../../../../src/learn/rl/state.ts';
import type { PolicyFacts } from '../../../../src/lab/models/serving/policy-facts.ts';
import { loadWeights } from '../../../../src/policy/open/load.ts';
import { memoryFiles } from '../../../../src/policy/checkpoint/checkpoint-files.ts';
import { readWeights } from '../../../../src/policy/checkpoint/weights.ts';
import { loadFamily } from '../../../fixtures/families/load.ts';
import { writeRandomCheckpoint } from '../../../policy/checkpoint/random-checkpoint.ts';
import { mergeAdapter } from '../../../policy/lora/merge-adapter.ts';
import { parsePolicyConfig } from '../../../../src/policy/checkpoint/config.ts';
import { filesOf } from '../../../../src/lab/train/downloads.ts';
import type { RunRecord } from '../../../../src/lab/contract/records/runs.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'forage-merged-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const json = (bytes: Uint8Array): object =>
  JSON.parse(new TextDecoder().decode(new Uint8Array(bytes))) as object;

/** What the page hands over, unpacked as a user does. */
async function unpacked(given: ReadonlyMap<string, Uint8Array>) {
  const files = memoryFiles(given);
  const config = parsePolicyConfig(json(given.get('config.json')!));
  const settings = getTraining('kunlun-baize/dapo');
  const { noUpdate: _, ...state } = initialState(settings, config);
  state.adapter.forEach((_, i) => (state.adapter[i] = Math.sin(i) / 20));
  const run = { id: 'my-run', name: 'mine', settings, policy: { id: 'x', revision: 'r' } };
  let held = 0;
  const [download] = await filesOf('merged', {
    run: run as RunRecord,
    state,
    policy: {
      id: 'x',
      revision: 'r',
      config,
      stored: 'f16',
      engines: 1,
      open: () => {
        held++;
        return Promise.resolve({ files, release: () => held-- });
      },
    },
    steps: () => Promise.resolve([]),
  });
  expect(held).toBe(0);
  expect(download!.name).toBe('my-run-merged.tar');
  const archive = join(folder, download!.name);
  writeFileSync(archive, new Uint8Array(await download!.blob.arrayBuffer()));
  execFileSync('tar', ['-xf', archive, '-C', folder]);
  const out = join(folder, 'my-run-merged');
  const merged = new Map(
    readdirSync(out).map((name) => [name, new Uint8Array(readFileSync(join(out, name)))]),
  );
  const weights = await loadWeights(files);
  const wanted = mergeAdapter(weights, settings.adapter, state.adapter).flat;
  const values = readWeights(config, merged.get('model.safetensors')!).flat;
  return { merged, values, wanted };
}

it('keeps config, tokenizer, generation settings and chat template of the checkpoint', async () => {
  const source = join(folder, 'source');
  writeRandomCheckpoint(source, 'llama3');
  writeFileSync(
    join(source, 'config.json'),
    JSON.stringify({
      ...json(readFileSync(join(source, 'config.json'))),
      torch_dtype: 'bfloat16',
      bos_token_id: 480,
      a_field_of_its_own: [1, 'two'],
    }),
  );
  const given = new Map(
    readdirSync(source).map((name) => [name, new Uint8Array(readFileSync(join(source, name)))]),
  );
  const { merged, values, wanted } = await unpacked(given);
  expect([...merged.keys()].toSorted()).toEqual([...given.keys()].toSorted());
  for (const [name, bytes] of merged)
    if (!/^(config.json|model)/.test(name)) expect(bytes).toEqual(given.get(name));
  expect(json(merged.get('config.json')!)).toEqual({
    ...json(given.get('config.json')!),
    torch_dtype: 'float32',
  });
  expect(values).toEqual(wanted);
});

it('writes a checkpoint in shards, with an untied head, as one file without the index', async () => {
  const { files } = await loadFamily('llama-yarn');
  const { merged, values, wanted } = await unpacked(files);
  expect([...merged.keys()].toSorted()).toEqual(['config.json', 'model.safetensors']);
  const config = json(merged.get('config.json')!);
  const { dtype: _, ...rest } = json(files.get('config.json')!) as Record<string, unknown>;
  expect(config).toEqual({ ...rest, dtype: 'float32' });
  expect(values).toEqual(wanted);
});

it.each([
  ['acme/qwen-random', 'acme/qwen-random', 'which is loaded from the Hugging Face hub'],
  [undefined, './random-qwen', 'at ./random-qwen, seen from where Python starts'],
])(
  'an adapter is one archive with a folder as PEFT loads it; its base of the hub is a name that Python resolves (%s)',
  async (repository, base, said) => {
    const { files } = await loadFamily('llama-yarn');
    const config = parsePolicyConfig(json(files.get('config.json')!));
    const settings = getTraining('kunlun-baize/dapo');
    const run = { id: 'my-run', name: 'mine', settings, policy: { id: 'x', revision: 'r' } };
    const given = await filesOf('peft', {
      run: run as RunRecord,
      state: { ...initialState(settings, config), warmedUp: 1 },
      policy: {
        id: 'models/random-qwen',
        repository,
        revision: 'r',
        config,
        stored: 'f16',
        engines: 1,
        open: () => Promise.reject(new Error('nothing is read for it')),
      },
      steps: () => Promise.resolve([]),
    });
    expect(given.map(({ name }) => name)).toEqual(['my-run-adapter.zip']);
    const archive = join(folder, 'adapter.zip');
    writeFileSync(archive, new Uint8Array(await given[0]!.blob.arrayBuffer()));
    execFileSync('python3', ['-m', 'zipfile', '-e', archive, folder]);
    const adapter = join(folder, 'my-run-adapter');
    expect(readdirSync(adapter).toSorted()).toEqual([
      'README.md',
      'adapter_config.json',
      'adapter_model.safetensors',
    ]);
    expect(json(readFileSync(join(adapter, 'adapter_config.json')))).toMatchObject({
      base_model_name_or_path: base,
    });
    expect(readFileSync(join(adapter, 'README.md'), 'utf8')).toContain(said);
  },
);

it('no adapter is given of a run that learned nothing', async () => {
  const { files } = await loadFamily('llama-yarn');
  const config = parsePolicyConfig(json(files.get('config.json')!));
  const settings = getTraining('kunlun-baize/dapo');
  const run = { id: 'my-run', name: 'mine', settings, policy: { id: 'x', revision: 'r' } };
  const given = filesOf('peft', {
    run: run as RunRecord,
    state: initialState(settings, config),
    policy: { id: 'x', revision: 'r', config, stored: 'f16', engines: 1 } as unknown as PolicyFacts,
    steps: () => Promise.resolve([]),
  });
  await expect(given).rejects.toThrow('"mine" has learned nothing: no step had a gradient');
});
