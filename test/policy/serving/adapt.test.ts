import { readFile } from 'node:fs/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { parsePolicyConfig } from '../../../src/policy/checkpoint/config.ts';
import { connectPolicy, type RemotePolicy } from '../../../src/policy/serving/connect.ts';
import { PolicyPool } from '../../../src/policy/serving/pool.ts';
import { servePolicy } from '../../../src/policy/serving/serve.ts';
import { createPolicy, loadPolicy } from '../../../src/policy/open/load.ts';
import { initAdapter } from '../../../src/policy/lora/init.ts';
import { mergeAdapter } from '../lora/merge-adapter.ts';
import type { LoraSpec } from '../../../src/policy/lora/spec.ts';
import type { Generated, LoraValues, Policy } from '../../../src/policy/policy.ts';
import { Random } from '../../../src/base/random.ts';
import { readWeights } from '../../../src/policy/checkpoint/weights.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const fixture = new URL('../../fixtures/qwen3-tiny/', import.meta.url);
const files = (name: string): Promise<Uint8Array> => readFile(new URL(name, fixture));
const load = (): Promise<Policy> => loadPolicy({ files, id: 'tiny', device: 'wasm' });

const SPEC: LoraSpec = { rank: 4, alpha: 8, targets: ['q_proj', 'o_proj', 'down_proj'] };

const ports: MessagePort[] = [];
afterEach(() => {
  for (const port of ports.splice(0)) port.close();
});

async function remote(): Promise<RemotePolicy> {
  const policy = await load();
  const { port1, port2 } = new MessageChannel();
  ports.push(port1, port2);
  servePolicy(policy, port1);
  return connectPolicy(port2, policy.tokenizer);
}

/** An adapter as a training step leaves it. */
async function adapter(seed: number): Promise<LoraValues> {
  const config = parsePolicyConfig(JSON.parse(String(await files('config.json'))));
  const flat = initAdapter(config, SPEC, 1);
  new Random(seed).fillNormal(flat, 0.1);
  return { spec: SPEC, flat };
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

test('with an adapter it samples as a policy of merged weights, directly and in a pool of workers', async () => {
  const direct = await load();
  const before = await sample(direct);
  const { spec, flat } = await adapter(2);
  const config = parsePolicyConfig(JSON.parse(String(await files('config.json'))));
  const merged = mergeAdapter(readWeights(config, await files('model.safetensors')), spec, flat);
  const { tokenizer } = direct;
  const info = { id: 'tiny', revision: 'x', dtype: 'f32' };
  const wanted = await sample(await createPolicy(merged, tokenizer, info, { device: 'wasm' }));
  const pool = new PolicyPool([await remote(), await remote()]);
  const results: Generated[] = [];
  for (const policy of [direct, pool]) {
    await policy.setAdapter?.({ spec, flat });
    const adapted = await sample(policy);
    expect(adapted.ids).not.toEqual(before.ids);
    expect(adapted.ids).toEqual(wanted.ids);
    // Equal except for the rounding of merged matrices.
    adapted.logprobs.forEach((value, i) => expect(value).toBeCloseTo(wanted.logprobs[i] ?? 0, 4));
    results.push(adapted);
    await policy.setAdapter?.(await adapter(3));
    expect(await sample(policy)).not.toEqual(adapted);
    await policy.setAdapter?.({ spec, flat });
    expect(await sample(policy)).toEqual(adapted);
    await policy.setAdapter?.(null);
    expect(await sample(policy)).toEqual(before);
    policy.dispose();
  }
  expect(results[1]).toEqual(results[0]);
});

test('an engine of a pool that starts later has the adapter of the others', async () => {
  const pool = new PolicyPool([await remote()], [remote]);
  const values = await adapter(2);
  await pool.setAdapter?.(values);
  const adapted = await sample(pool);
  const held = await pool.open(9);
  expect(await sample(pool)).toEqual(adapted);
  expect(pool.load).toEqual([1, 0]);
  held.close();
  pool.dispose();
});

test('a pool takes adapters only where all its members do', async () => {
  const whole = await remote();
  const { info, tokenizer } = whole;
  const server: Policy = { info, tokenizer, open: () => whole.open(1), dispose: () => undefined };
  expect(new PolicyPool([whole]).setAdapter).toBeDefined();
  expect(new PolicyPool([whole, server]).setAdapter).toBeUndefined();
});

test('adapters do not change under open sessions, and must fit', async () => {
  const values = await adapter(1);
  for (const policy of [await load(), await remote(), new PolicyPool([await remote()])]) {
    const session = await policy.open(1);
    session.append([30, 31]);
    await session.generate({
      maxTokens: 1,
      stopIds: [],
      sampling: { temperature: 1, topK: 0, topP: 1 },
    });
    await expect(policy.setAdapter?.(values)).rejects.toThrow(/1 sessions are open/);
    session.close();
    const short = { ...values, flat: values.flat.slice(1) };
    await expect(policy.setAdapter?.(short)).rejects.toThrow(/this shape has/);
    await policy.setAdapter?.(values);
    policy.dispose();
  }
});

test('a worker that is lost fails the call', async () => {
  const policy = await remote();
  const call = policy.setAdapter?.(await adapter(1));
  policy.lost(new Error('the worker died'));
  await expect(call).rejects.toThrow('the worker died');
});
