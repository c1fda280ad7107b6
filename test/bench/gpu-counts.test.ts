import { afterEach, describe, expect, it } from 'vitest';
import { CountedEngine } from '../../bench/gpu-counts/count.ts';
import type { Dispatch } from '../../bench/gpu-counts/null-gpu/counts.ts';
import { installNullGpu, type NullGpu } from '../../bench/gpu-counts/null-gpu/install.ts';
import { countRows, type Model } from '../../bench/gpu-counts/rows.ts';
import { tripsOf } from '../../bench/gpu-counts/trips.ts';
import { parsePolicyConfig } from '../../src/policy/checkpoint/config.ts';
import { sourceOf } from '../../src/policy/checkpoint/tensor-source.ts';
import { initWeights } from '../../src/policy/checkpoint/weights.ts';
import { decodeTrial } from '../../src/policy/measure/trials.ts';
import { uploadDecoder } from '../../src/policy/model/upload.ts';
import { MATRIX_TYPES } from '../../src/policy/ops/values.ts';
import { createWebGpuOps } from '../../src/policy/webgpu/ops.ts';

const SHAPE = {
  model_type: 'qwen2',
  vocab_size: 20_000,
  hidden_size: 896,
  num_hidden_layers: 6,
  num_attention_heads: 14,
  num_key_value_heads: 2,
  intermediate_size: 2432,
  max_position_embeddings: 4096,
  tie_word_embeddings: true,
};
const all = (value: number) => ({ f32: value, f16: value, int8: value, int4: value });
const MODEL: Model = {
  name: 'small',
  shape: SHAPE,
  bounds: {
    trips: 1300,
    prefillPeak: 0.4,
    stepPeak: 0.9,
    prefillBytes: all(10),
    stepBytes: all(20),
    train: all(1),
  },
};

let gpu: NullGpu | null = null;
afterEach(() => gpu?.uninstall());

describe('counts of a decoder of six layers', () => {
  it('keep the bounds of a large one, and say where one does not', async () => {
    const rows = await countRows(MODEL, 'f16');
    const names = rows.map(({ name }) => name);
    expect(names).toContain('dispatches a layer of a decode step');
    expect(names).toContain('bytes bound ÷ ideal, 64 × 2048');
    expect(rows.filter(({ ok }) => !ok)).toEqual([]);
    const tight = { ...MODEL, bounds: { ...MODEL.bounds, trips: 10, train: all(0.01) } };
    const worse = (await countRows(tight, 'f16')).filter(({ ok }) => !ok);
    expect(worse.map(({ name }) => name)).toEqual([
      'serial loop trips of a decode step, 16 × 512',
      'GB to train beside 16 × 1,024 slots',
    ]);
  }, 120_000);

  it.each(MATRIX_TYPES)('are those of %s weights that were uploaded', async (type) => {
    const shape = { ...SHAPE, vocab_size: 600, num_hidden_layers: 2, intermediate_size: 96 };
    const config = parsePolicyConfig(shape, 4096);
    const unfilled = await CountedEngine.start(config, type);
    const trial = decodeTrial(unfilled.decoder, 3, 40);
    const expected = (await unfilled.recorded(trial)).counted;
    unfilled.close();
    gpu = installNullGpu();
    const ops = await createWebGpuOps();
    const decoder = await uploadDecoder(ops, sourceOf(initWeights(config, 1)), { type });
    expect(gpu.counter.liveBytes).toBe(unfilled.weightBytes);
    const uploaded = decodeTrial(decoder, 3, 40);
    await uploaded.run();
    gpu.counter.restart();
    await uploaded.run();
    const { dispatches, workgroups, boundBytes } = gpu.counter.counts;
    expect({ dispatches, workgroups, boundBytes }).toEqual({
      dispatches: expected.dispatches,
      workgroups: expected.workgroups,
      boundBytes: expected.boundBytes,
    });
  });
});

describe('loop trips', () => {
  const dispatch = (code: string, uniforms: number[] = [], table: number[] = []): Dispatch => ({
    pipeline: { id: 0, label: 'kernel', code },
    workgroups: [4, 1, 1],
    bound: [uniforms, table].map((words, id) => ({
      buffer: { id, label: '', size: 4 * words.length },
      offset: 0,
      size: 4 * words.length,
      access: 'uniform',
      words: new Uint32Array(words),
    })),
  });
  const main = (body: string): string => `struct U { rows: u32, more: array<vec4u, 1> }
@group(0) @binding(1) var<uniform> tokens: array<vec4u, 2>;
fn twice(v: u32) -> u32 { var s = 0u; for (var i = 0u; i < 2u; i++) { s += v; } return s; }
fn main(@builtin(workgroup_id) wid: vec3u) { ${body} }`;

  it.each([
    ['for (var i = 0u; i < 10u; i += 4u) { x += 1.0; }', 3],
    [
      'for (var i = li; i < 7u; i++) { x += 1.0; } for (var n = 32u; n > 0u; n >>= 1u) { y(n); }',
      13,
    ],
    // The innermost count: 5 times 3, and 5 times the two of a function.
    ['for (var i = 0u; i < 5u; i++) { for (var k = 0u; k < 3u; k++) { x += 1.0; } }', 15],
    ['for (var i = 0u; i < 5u; i++) { x += twice(i); }', 10],
    // Uniforms, and a table of 16 bytes per row.
    ['for (var i = 0u; i < u.rows / 2u; i++) { x += 1.0; }', 6],
    ['for (var i = 0u; i < u.more[0].y; i++) { x += 1.0; }', 9],
    ['let token = tokens[wid.y + 1u]; for (var i = 0u; i < token.y + 1u; i++) { x += 1.0; }', 8],
    // What is not known is left out of a minimum.
    ['let n = values[3]; for (var i = 0u; i < min(n, 6u); i++) { x += 1.0; }', 6],
  ])('of %s are %i', (body, wanted) => {
    expect(tripsOf(dispatch(main(body), [12, 0, 0, 0, 1, 9, 0, 0], [0, 0, 0, 0, 1, 7, 0, 0]))).toBe(
      wanted,
    );
  });

  it('are not guessed', () => {
    const code = main('let n = values[3]; for (var i = 0u; i < n; i++) { x += 1.0; }');
    expect(() => tripsOf(dispatch(code))).toThrow(/kernel: how often/);
  });
});
