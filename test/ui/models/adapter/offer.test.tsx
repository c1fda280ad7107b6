import { readFileSync } from 'node:fs';
import { beforeEach, expect, it, vi } from 'vitest';
import type { CheckpointView } from '../../../../src/lab/contract/checkpoints.ts';
import type { AdoptOutcome } from '../../../../src/lab/contract/training.ts';
import { readExperiment } from '../../../../src/handover/adopt/experiment.ts';
import { AdoptFolder } from '../../../../src/handover/adopt/folder.ts';
import { parsePolicyConfig } from '../../../../src/policy/checkpoint/config.ts';
import { readPeft } from '../../../../src/policy/lora/peft.ts';
import { BUILT_IN_SETUP } from '../../../../src/records/setup.ts';
import {
  bytesOnServer,
  cancelOffer,
  importOffered,
  offerKey,
} from '../../../../src/ui/models/offer-actions.ts';
import { importedRun, offersFor } from '../../../../src/ui/models/offered.ts';
import { useSetup } from '../../../../src/ui/setup/setup-store.ts';
import { EMPTY_TRAIN, setTrainApi, useTrain } from '../../../../src/ui/train/store/train-store.ts';
import { runRecord } from '../../../fixtures/train-runs.ts';
import { fakeLab, stubPage } from '../../lab/fake-lab.ts';
import { checkpoint } from '../views.ts';
import { useModels } from '../../../../src/ui/models/store/models-store.ts';

/** The trained adapter that comes with Forage: which models it is offered for, and how it is imported. */

const FOLDERS = new URL('../../../../training/adapters/', import.meta.url);
const weightsOf = (folder: string) =>
  new Uint8Array(readFileSync(new URL(`${folder}/adapter_model.safetensors`, FOLDERS)));

/** `config.json` of SmolLM2-135M-Instruct on Hugging Face, in what decides how it is computed. */
const CONFIG = {
  architectures: ['LlamaForCausalLM'],
  model_type: 'llama',
  hidden_size: 576,
  intermediate_size: 1536,
  num_hidden_layers: 30,
  num_attention_heads: 9,
  num_key_value_heads: 3,
  vocab_size: 49_152,
  max_position_embeddings: 8192,
  rms_norm_eps: 1e-5,
  rope_theta: 100_000,
  tie_word_embeddings: true,
};
const model = (rest: Partial<CheckpointView> = {}): CheckpointView =>
  checkpoint('a', {
    source: { kind: 'file', name: 'SmolLM2-135M-Instruct.Q4_1.gguf' },
    config: CONFIG,
    ...rest,
  });
const hub = (repository: string) =>
  ({ kind: 'hub', base: 'https://huggingface.co', repository, revision: 'main' }) as const;

it.each<[string, Partial<CheckpointView>]>([
  ['its GGUF file', {}],
  [
    'its GGUF file in other letters',
    { source: { kind: 'file', name: 'smollm2-135m-instruct-q8_0.gguf' } },
  ],
  ['its folder', { source: { kind: 'folder', name: 'SmolLM2-135M-Instruct' } }],
  ['its repository', { source: hub('HuggingFaceTB/SmolLM2-135M-Instruct') }],
  [
    'a file that the user named',
    { source: { kind: 'file', name: 'x.gguf' }, name: 'SmolLM2 135M Instruct' },
  ],
])('is offered for %s', (_, rest) => {
  expect(offersFor(model(rest)).map(({ name }) => name)).toEqual([
    'SmolLM2 after RL',
    'SmolLM2 cold start',
  ]);
});

it.each<[string, Partial<CheckpointView>]>([
  ['a model that is not stored yet', { state: 'downloading' }],
  ['its base model', { source: { kind: 'file', name: 'SmolLM2-135M.Q4_1.gguf' } }],
  ['another model', { source: { kind: 'file', name: 'Qwen2.5-0.5B-Instruct.gguf' } }],
  ['another shape under its name', { config: { ...CONFIG, num_hidden_layers: 32 } }],
  ['another vocabulary under its name', { config: { ...CONFIG, vocab_size: 49_280 } }],
  ['SmolLM, which turns positions otherwise', { config: { ...CONFIG, rope_theta: 10_000 } }],
  [
    'another architecture under its name',
    { config: { ...CONFIG, model_type: 'qwen2', architectures: ['Qwen2ForCausalLM'] } },
  ],
  ['a damaged configuration', { config: {} }],
])('is not offered for %s', (_, rest) => {
  expect(offersFor(model(rest))).toEqual([]);
});

it.each([
  ['SmolLM2 after RL', 'smollm2-rl'],
  ['SmolLM2 cold start', 'smollm2-cold-start'],
])('%s is a trained adapter of the model, with its settings', async (name, folder) => {
  const offered = offersFor(model()).find((one) => one.name === name);
  expect(offered?.weightsUrl).toContain(folder);
  const files = offered?.files(weightsOf(folder)) ?? [];
  const experiment = await readExperiment(AdoptFolder.of(files));
  const { recipe, steps, overrides, adapter, warmUp } = experiment.settings;
  expect([recipe, steps, warmUp]).toEqual(['search', 0, null]);
  expect(overrides['retrieval']).toMatchObject({ k: 2, passageTokens: 100, maxSearches: 4 });
  const read = readPeft(
    parsePolicyConfig(CONFIG),
    await Promise.all(
      files.map(async ({ path, blob }) => ({
        name: path,
        bytes: new Uint8Array(await blob.arrayBuffer()),
      })),
    ),
  );
  expect(read.spec).toEqual(adapter);
  expect(read.baseName).toContain(experiment.policy.id);
  expect(read.flat.some((value) => value !== 0)).toBe(true);
});

/** Answers the next requests for weights. */
const answer = (respond: (signal: AbortSignal | null) => Promise<Response>) =>
  vi.stubGlobal('fetch', (_: string, { signal = null }: RequestInit) => respond(signal));
const ready = (): AdoptOutcome => ({ status: 'ready', run: runRecord('run') });
const connect = (outcome: () => Promise<AdoptOutcome>) => {
  const lab = fakeLab({ train: { adopt: outcome } });
  setTrainApi(lab.connection.train);
  return lab;
};
const [offered] = offersFor(model()) as [ReturnType<typeof offersFor>[0]];
const state = () => useModels.getState().offers[offerKey('a', offered)];
const click = () => importOffered('a', offered);

beforeEach(() => {
  stubPage();
  vi.stubGlobal('document', { baseURI: 'http://page/' });
  useTrain.setState(EMPTY_TRAIN, true);
  useModels.setState({ offers: {} });
  useSetup.setState({ setup: BUILT_IN_SETUP });
});

it('is imported as a run of that model with the passages that are chosen', async () => {
  const local = { kind: 'built-in', method: 'lexical' } as const;
  useSetup.setState({ setup: { ...BUILT_IN_SETUP, local } });
  answer(() => Promise.resolve(new Response(new Uint8Array([1, 2, 3]))));
  const lab = connect(() => Promise.resolve(ready()));
  await click();
  expect(state()).toBeNull();
  const [[, files, , setup] = []] = lab.callsOf('train.adopt') as [
    string,
    { path: string; blob: Blob }[],
    unknown,
    unknown,
  ][];
  expect(setup).toEqual({ ...BUILT_IN_SETUP, local, policy: { kind: 'checkpoint', id: 'a' } });
  const weights = files?.find(({ path }) => path === 'adapter_model.safetensors');
  expect(new Uint8Array((await weights?.blob.arrayBuffer()) ?? [])).toEqual(
    new Uint8Array([1, 2, 3]),
  );
  expect(useTrain.getState().runs.map(({ id }) => id)).toEqual(['run']);
});

it('says what is wrong where it does not arrive or does not fit, and can be tried again', async () => {
  const lab = connect(() => Promise.reject(new Error('it has another shape')));
  answer(() => Promise.reject(new Error('Failed to fetch')));
  await click();
  expect(state()).toMatchObject({
    status: 'failed',
    message: expect.stringMatching(/^The adapter was not downloaded: .*Failed to fetch/) as string,
  });
  // The connection breaks in the middle.
  const broken = new ReadableStream<Uint8Array>({
    start: (stream) => {
      stream.enqueue(new Uint8Array(5));
      stream.error(new Error('network error'));
    },
  });
  answer(() => Promise.resolve(new Response(broken)));
  await click();
  expect(state()).toMatchObject({
    message: 'The adapter was not downloaded: Network error. Check the connection and try again.',
  });
  expect(lab.callsOf('train.adopt')).toHaveLength(0);
  answer(() => Promise.resolve(new Response(new Uint8Array(3))));
  await click();
  expect(state()).toMatchObject({ message: 'The adapter was not imported: It has another shape.' });
  connect(() => Promise.resolve(ready()));
  await click();
  expect(state()).toBeNull();
  expect(useTrain.getState().runs).toHaveLength(1);
});

it('keeps nothing where its download is cancelled', async () => {
  const lab = connect(() => Promise.resolve(ready()));
  answer(
    (signal) =>
      new Promise((_, reject) =>
        signal?.addEventListener('abort', () => reject(signal.reason as Error)),
      ),
  );
  const clicked = click();
  expect(state()).toMatchObject({ status: 'fetching' });
  cancelOffer(offerKey('a', offered));
  await clicked;
  expect(state()).toBeNull();
  expect(lab.callsOf('train.adopt')).toHaveLength(0);
});

it('is found among the runs of the model until it is deleted', () => {
  const setup = { ...BUILT_IN_SETUP, policy: { kind: 'checkpoint', id: 'a' } } as const;
  const run = runRecord('run', { setup, before: offered.before });
  expect(importedRun([run], offered, 'a')).toBe(run);
  expect(importedRun([run], offered, 'b')).toBeUndefined();
  expect(importedRun([{ ...run, deletedAt: 'now' }], offered, 'a')).toBeUndefined();
  expect(importedRun([runRecord('other', { setup })], offered, 'a')).toBeUndefined();
});

it('is not offered where the server does not have it, as that of the npm package', async () => {
  const size = (status: number, headers: Record<string, string>) => {
    answer(() => Promise.resolve(new Response(null, { status, headers })));
    return bytesOnServer('http://page/assets/a.safetensors');
  };
  expect(await size(200, { 'content-length': '9800000' })).toBe(9_800_000);
  expect(await size(200, {})).toBe(0);
  expect(await size(404, {})).toBeNull();
  expect(await size(200, { 'content-type': 'text/html; charset=utf-8' })).toBeNull();
  // A click then says that there is no network.
  answer(() => Promise.reject(new TypeError('Failed to fetch')));
  expect(await bytesOnServer('http://page/assets/a.safetensors')).toBe(0);
});
