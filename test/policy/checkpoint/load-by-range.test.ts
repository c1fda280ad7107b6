import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { CheckpointError } from '../../../src/policy/checkpoint/checkpoint-error.ts';
import {
  memoryFiles,
  type CheckpointFiles,
} from '../../../src/policy/checkpoint/checkpoint-files.ts';
import { openCheckpoint, WEIGHTS_INDEX } from '../../../src/policy/checkpoint/checkpoint.ts';
import { createPolicy, loadPolicy, loadWeights } from '../../../src/policy/open/load.ts';
import { mergeAdapter } from '../lora/merge-adapter.ts';
import { loraSize, type LoraSpec } from '../../../src/policy/lora/spec.ts';
import type { Generated, Policy } from '../../../src/policy/policy.ts';
import { Random } from '../../../src/base/random.ts';
import { readSafetensors, writeSafetensors } from '../../../src/policy/checkpoint/safetensors.ts';
import { loadFamily } from '../../fixtures/families/load.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const folder = new URL('../../fixtures/qwen3-tiny/', import.meta.url);
const tiny = new Map(
  readdirSync(folder).map((file) => [file, new Uint8Array(readFileSync(new URL(file, folder)))]),
);

const whole = (): Promise<Policy> =>
  loadPolicy({ files: async (name) => tiny.get(name)!, id: 'tiny', device: 'wasm' });
const byRange = (changes: { maxContext?: number } = {}): Promise<Policy> =>
  loadPolicy({ files: memoryFiles(tiny), id: 'tiny', device: 'wasm', ...changes });

async function sample(policy: Policy, maxTokens = 24): Promise<Generated> {
  const session = await policy.open(3);
  session.append(policy.tokenizer.encodeText(' In which city was the director born?'));
  const sampling = { temperature: 1, topK: 0, topP: 1 };
  const generated = await session.generate({ maxTokens, stopIds: [], sampling });
  session.close();
  return generated;
}

describe('a policy from files by range', () => {
  it('is the one from whole files, bit for bit', async () => {
    const [a, b] = [await whole(), await byRange()];
    expect(await sample(b)).toEqual(await sample(a));
    expect(b.info).toEqual({ ...a.info, revision: expect.any(String) as string });
    a.dispose();
    b.dispose();
  });

  it('samples with an adapter as of merged weights, and lets go of it', async () => {
    const policy = await byRange();
    const base = await sample(policy);
    const weights = await loadWeights(memoryFiles(tiny));
    const spec: LoraSpec = { rank: 4, alpha: 8, targets: ['q_proj', 'v_proj', 'down_proj'] };
    const flat = new Float32Array(loraSize(weights.config, spec));
    new Random(2).fillNormal(flat, 0.1);
    await policy.setAdapter!({ spec, flat });
    const adapted = await sample(policy);
    expect(adapted.logprobs).not.toEqual(base.logprobs);
    // The same except for the rounding of merged matrices.
    const merged = mergeAdapter(weights, spec, flat);
    const { tokenizer, info } = policy;
    const alike = await sample(await createPolicy(merged, tokenizer, info, { device: 'wasm' }));
    expect(alike.ids).toEqual(adapted.ids);
    alike.logprobs.forEach((value, i) => expect(value).toBeCloseTo(adapted.logprobs[i] ?? 0, 4));
    await policy.setAdapter!(null);
    expect(await sample(policy)).toEqual(base);

    await expect(policy.setAdapter!({ spec, flat: flat.subarray(1) })).rejects.toThrow(RangeError);
    const open = await policy.open(1);
    await expect(policy.setAdapter!(null)).rejects.toThrow(/1 sessions are open/);
    open.close();
    expect(await sample(policy)).toEqual(base);
    policy.dispose();
  });

  it('can be held to shorter contexts', async () => {
    const policy = await byRange({ maxContext: 40 });
    expect(policy.info.maxContext).toBe(40);
    expect((await sample(policy, 100)).finish).toBe('context');
    policy.dispose();
  });

  it('reads no more at a time than one tensor, and says how far it is', async () => {
    const reads: number[] = [];
    const inner = memoryFiles(tiny);
    const files: CheckpointFiles = {
      size: (name) => inner.size(name),
      readRange: (name, start, end) => {
        if (name === 'model.safetensors') reads.push(end - start);
        return inner.readRange(name, start, end);
      },
    };
    const shares: number[] = [];
    const stages: string[] = [];
    const policy = await loadPolicy({
      files,
      id: 'tiny',
      device: 'wasm',
      onProgress: ({ share, stage }) => {
        shares.push(share);
        stages.push(stage);
      },
    });
    const largest = Math.max(
      ...[...readSafetensors(tiny.get('model.safetensors')!).values()].map(
        (t) => 4 * t.data.length,
      ),
    );
    expect(Math.max(...reads)).toBeLessThanOrEqual(largest);
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    expect(shares.at(-1)).toBe(1);
    expect(stages.filter((stage) => stage.startsWith('uploading layer'))).toHaveLength(2);
    policy.dispose();
  });
});

async function faultOf(files: ReadonlyMap<string, Uint8Array>): Promise<string> {
  const error: unknown = await openCheckpoint(memoryFiles(files)).then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(CheckpointError);
  return (error as CheckpointError).message;
}

describe('weights in shards', async () => {
  const { files, source } = await loadFamily('llama-yarn');
  const shard = 'model-00002-of-00004.safetensors';

  it('are those of one file', async () => {
    const tensors = new Map(source.files.flatMap((name) => [...readSafetensors(files.get(name)!)]));
    const joined = new Map([
      ['config.json', files.get('config.json')!],
      ['model.safetensors', writeSafetensors(tensors)],
    ]);
    const [a, b] = [await loadWeights(memoryFiles(files)), await loadWeights(memoryFiles(joined))];
    expect(a.flat).toEqual(b.flat);
    expect(source).toMatchObject({ dtype: 'bf16', notes: [] });
    expect(source.files).toHaveLength(4);
    expect(source.bytes).toBe(source.files.reduce((n, name) => n + files.get(name)!.length, 0));
  });

  it('name the shard that is missing, or misses a tensor', async () => {
    expect(await faultOf(new Map([...files].filter(([name]) => name !== shard)))).toMatch(
      /^model-00002-of-00004\.safetensors: is missing/,
    );
    const tensors = readSafetensors(files.get(shard)!);
    tensors.delete('model.layers.0.mlp.up_proj.weight');
    expect(await faultOf(new Map([...files, [shard, writeSafetensors(tensors)]]))).toMatch(
      /index\.json: says that tensor "model\.layers\.0\.mlp\.up_proj\.weight" lies in model-00002/,
    );
    expect(await faultOf(new Map([...files].filter(([name]) => name !== WEIGHTS_INDEX)))).toMatch(
      /^model\.safetensors: is missing, and so is model\.safetensors\.index\.json/,
    );
  });
});

describe('weights in one file', async () => {
  const { files } = await loadFamily('qwen2');
  const tensors = (): ReturnType<typeof readSafetensors> =>
    readSafetensors(files.get('model.safetensors')!);
  const changed = (change: (t: ReturnType<typeof tensors>) => void): Map<string, Uint8Array> => {
    const all = tensors();
    change(all);
    return new Map([...files, ['model.safetensors', writeSafetensors(all)]]);
  };
  const bias = 'model.layers.1.self_attn.k_proj.bias';

  it('must hold what the config asks for, biases included, in its shape', async () => {
    expect(await faultOf(changed((t) => t.delete(bias)))).toMatch(
      `model.safetensors: tensor "${bias}" is missing, which config.json asks for`,
    );
    const wrong = changed((t) => t.set(bias, { shape: [3], data: new Float32Array(3) }));
    expect(await faultOf(wrong)).toMatch(
      `tensor "${bias}" has shape [3], config.json asks for [16]`,
    );
  });

  it('are refused with a header that is too long to be one', async () => {
    const file = new Uint8Array(40 * 2 ** 20);
    new DataView(file.buffer).setBigUint64(0, BigInt(30 * 2 ** 20), true);
    expect(await faultOf(new Map([...files, ['model.safetensors', file]]))).toMatch(
      /the header claims 31457280 bytes; at most 2097152 are read/,
    );
  });
});
