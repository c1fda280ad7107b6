import { readFile } from 'node:fs/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { parsePolicyConfig } from '../../../src/policy/checkpoint/config.ts';
import { connectPolicy, type RemotePolicy } from '../../../src/policy/serving/connect.ts';
import { PolicyPool } from '../../../src/policy/serving/pool.ts';
import { servePolicy } from '../../../src/policy/serving/serve.ts';
import { memoryFiles } from '../../../src/policy/checkpoint/checkpoint-files.ts';
import { createPolicy, loadPolicy } from '../../../src/policy/open/load.ts';
import { initAdapter } from '../../../src/policy/lora/init.ts';
import { mergeAdapter } from '../../../src/policy/lora/merge.ts';
import type { LoraSpec } from '../../../src/policy/lora/spec.ts';
import type { Generated, Policy } from '../../../src/policy/policy.ts';
import { Random } from '../../../src/base/random.ts';
import { readWeights, viewWeights } from '../../../src/policy/checkpoint/weights.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const fixture = new URL('../../fixtures/qwen3-tiny/', import.meta.url);
const files = (name: string): Promise<Uint8Array> => readFile(new URL(name, fixture));
const load = (): Promise<Policy> => loadPolicy({ files, id: 'tiny', device: 'wasm' });

const SPEC: LoraSpec = { rank: 4, alpha: 8, targets: ['q_proj', 'o_proj', 'down_proj'] };

const ports: MessagePort[] = [];
afterEach(() => {
  for (const port of ports.splice(0)) port.close();
});

/** Loaded by range, so that it takes adapters by themselves. */
async function loadByRange(): Promise<Policy> {
  const names = ['config.json', 'tokenizer.json', 'model.safetensors'];
  const held = await Promise.all(names.map(async (name) => [name, await files(name)] as const));
  const { revision } = (await load()).info;
  return loadPolicy({ files: memoryFiles(new Map(held)), id: 'tiny', device: 'wasm', revision });
}

async function remote(from = load): Promise<RemotePolicy> {
  const policy = await from();
  const { port1, port2 } = new MessageChannel();
  ports.push(port1, port2);
  servePolicy(policy, port1);
  return connectPolicy(port2, policy.tokenizer);
}

/** The fixture's weights with noise on them, as a training step leaves them. */
async function trained(seed: number) {
  const config = parsePolicyConfig(JSON.parse(String(await files('config.json'))));
  const weights = viewWeights(config, readWeights(config, await files('model.safetensors')).flat);
  const noise = new Float32Array(weights.flat.length);
  new Random(seed).fillNormal(noise, 0.05);
  for (const layer of weights.layers)
    for (const matrix of [layer.qkv, layer.o, layer.gateUp, layer.down])
      matrix.forEach((value, i) => (matrix[i] = value + noise[i]!));
  return weights;
}

async function sample(policy: Policy): Promise<Generated> {
  const session = await policy.open(4);
  session.append([30, 31, 32, 33]);
  const generated = await session.generate({
    maxTokens: 12,
    stopIds: [],
    sampling: { temperature: 1, topK: 0, topP: 1 },
  });
  session.close();
  return generated;
}

test('after new weights it samples as a policy made of them, directly and in a pool of workers', async () => {
  const before = await sample(await load());
  const weights = await trained(1);
  const { tokenizer } = await load();
  const info = { id: 'tiny', revision: 'x', dtype: 'f32' as const };
  const fresh = await sample(await createPolicy(weights, tokenizer, info, { device: 'wasm' }));
  expect(fresh).not.toEqual(before);
  const pool = new PolicyPool([await remote(), await remote()]);
  for (const policy of [await load(), pool]) {
    expect(await sample(policy)).toEqual(before);
    await policy.setWeights!(weights.flat);
    expect(await sample(policy)).toEqual(fresh);
    await policy.setWeights!((await trained(2)).flat);
    await policy.setWeights!(weights.flat);
    expect(await sample(policy)).toEqual(fresh);
    policy.dispose();
  }
});

test('an adapter reaches a pool of workers as its merged weights do, and is taken off again', async () => {
  const config = parsePolicyConfig(JSON.parse(String(await files('config.json'))));
  const flat = initAdapter(config, SPEC, 1);
  new Random(2).fillNormal(flat, 0.1);
  const merged = mergeAdapter(readWeights(config, await files('model.safetensors')), SPEC, flat);
  const direct = await load();
  const before = await sample(direct);
  await direct.setWeights!(merged.flat);
  const adapted = await sample(direct);
  expect(adapted.ids).not.toEqual(before.ids);
  const pool = new PolicyPool([await remote(loadByRange), await remote(loadByRange)]);
  await pool.setAdapter!({ spec: SPEC, flat });
  expect(await sample(pool)).toEqual(adapted);
  await pool.setAdapter!(null);
  expect(await sample(pool)).toEqual(before);
  pool.dispose();
});

test('a pool takes adapters by themselves only where all its members do', async () => {
  const [whole, byRange] = [await remote(), await remote(loadByRange)];
  expect(new PolicyPool([whole]).setAdapter).toBeUndefined();
  expect(new PolicyPool([byRange, whole]).setAdapter).toBeUndefined();
  const pool = new PolicyPool([byRange]);
  const open = await pool.open(1);
  await expect(pool.setAdapter!(null)).rejects.toThrow(/1 sessions are open/);
  open.close();
});

test('weights do not change under open sessions, and must fit', async () => {
  const weights = await trained(1);
  for (const policy of [await load(), await remote(), new PolicyPool([await remote()])]) {
    const session = await policy.open(1);
    session.append([30, 31]);
    await session.generate({
      maxTokens: 1,
      stopIds: [],
      sampling: { temperature: 1, topK: 0, topP: 1 },
    });
    await expect(policy.setWeights!(weights.flat)).rejects.toThrow(/1 sessions are open/);
    session.close();
    await expect(policy.setWeights!(weights.flat.slice(1))).rejects.toThrow(/this shape has/);
    await policy.setWeights!(weights.flat);
    policy.dispose();
  }
});

test('a worker that is lost fails the call', async () => {
  const policy = await remote();
  const call = policy.setWeights((await trained(1)).flat);
  policy.lost(new Error('the worker died'));
  await expect(call).rejects.toThrow('the worker died');
});
