import { describe, expect, it, vi } from 'vitest';
import { parsePolicyConfig } from '../../../src/policy/checkpoint/config.ts';
import { sourceOf } from '../../../src/policy/checkpoint/tensor-source.ts';
import { initWeights } from '../../../src/policy/checkpoint/weights.ts';
import { measureDevice, slowest, type Figure } from '../../../src/policy/measure/device.ts';
import { deviceReport, figureWords } from '../../../src/policy/measure/report.ts';
import { uploadDecoder } from '../../../src/policy/model/upload.ts';
import { MemoryError } from '../../../src/policy/ops/faults.ts';
import type { Ops } from '../../../src/policy/ops/ops.ts';
import { createWasmOps } from '../../../src/policy/wasm/ops.ts';

vi.setConfig({ testTimeout: 60_000 });

const config = parsePolicyConfig({
  model_type: 'qwen2',
  vocab_size: 64,
  hidden_size: 16,
  num_hidden_layers: 1,
  num_attention_heads: 2,
  num_key_value_heads: 1,
  intermediate_size: 24,
  max_position_embeddings: 40,
  rope_theta: 1e6,
  tie_word_embeddings: true,
});
const decoderOn = (ops: Ops) =>
  uploadDecoder(ops, sourceOf(initWeights(config, 5)), { type: 'f32' });

/** A device with a clock that has no memory for 64 contexts, as it was measured: once, for seconds. */
async function measureLacking() {
  const ops = await createWasmOps();
  let runs = 0;
  const kernelTimes = async (work: () => Promise<void>) => {
    await work();
    runs++;
    return [{ kernel: 'product', seconds: 0.5 }];
  };
  const kvCache: Ops['kvCache'] = (shape, label) => {
    if (shape.positions === 64 * 40) throw new MemoryError('no memory for the keys');
    return ops.kvCache(shape, label);
  };
  const own = { kernelTimes: { value: kernelTimes }, kvCache: { value: kvCache } };
  const shares: number[] = [];
  const measure = await measureDevice(await decoderOn(Object.create(ops, own) as Ops), {
    onShare: (share) => shares.push(share),
  });
  return { measure, shares, runs };
}
let measured: ReturnType<typeof measureLacking> | undefined;
const lacking = () => (measured ??= measureLacking());

describe('a device', () => {
  it('is measured figure by figure, and nothing is left on it', async () => {
    const ops = await createWasmOps();
    const decoder = await decoderOn(ops);
    const told: Figure[] = [];
    const { bytes } = ops;
    const shares: number[] = [];
    const measure = await measureDevice(decoder, {
      onFigure: (figure) => told.push(figure),
      onShare: (share) => shares.push(share),
    });
    // How far it is never falls, moves within a figure too, and ends whole.
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    expect(new Set(shares).size).toBeGreaterThan(2 * told.length);
    expect(shares.at(-1)).toBe(1);
    expect(measure.device).toBe('wasm');
    expect(measure.features).toContain('simd');
    expect(told).toEqual(measure.figures);
    expect(told).toMatchObject([
      { kind: 'copy' },
      { kind: 'product' },
      { kind: 'decode', slots: 1, context: 39 },
      { kind: 'decode', slots: 16, context: 39 },
      { kind: 'decode', slots: 64, context: 39 },
      { kind: 'step' },
    ]);
    for (const figure of told)
      for (const value of Object.values(figure))
        if (typeof value === 'number') expect(value).toBeGreaterThan(0);
    // But for what kernels keep to work in.
    expect(ops.bytes - bytes).toBeLessThan(16 * 2 ** 20);
  });

  it('that has no memory for 64 contexts is measured without them', async () => {
    const { figures } = (await lacking()).measure;
    expect(figures.slice(0, 6).map(({ kind }) => kind)).toEqual([
      'copy',
      'product',
      'decode',
      'decode',
      'left out',
      'step',
    ]);
    expect(figures[4]).toEqual({
      kind: 'left out',
      what: 'decoding 64',
      why: 'no memory for the keys',
    });
  });

  it('is left alone when it is stopped', async () => {
    const decoder = await decoderOn(await createWasmOps());
    const abort = new AbortController();
    const told: string[] = [];
    // As a worker hears of it: by a message, while it works.
    setTimeout(() => abort.abort(new Error('enough')));
    const measuring = measureDevice(decoder, {
      signal: abort.signal,
      onFigure: ({ kind }) => told.push(kind),
    });
    await expect(measuring).rejects.toThrow('enough');
    expect(told).toEqual([]);
  });
});

describe('kernels', () => {
  it('are added up by name, the slowest six first, as shares of all', () => {
    const times = [
      ...Array.from({ length: 3 }, () => ({ kernel: 'product  int4 ', seconds: 0.5 })),
      { kernel: 'attend', seconds: 2 },
      ...Array.from({ length: 6 }, (_, i) => ({ kernel: `small ${i}`, seconds: 0.25 })),
    ];
    const kernels = slowest('a step', times);
    expect(kernels).toHaveLength(6);
    expect(kernels.slice(0, 2)).toEqual([
      { kind: 'kernel', of: 'a step', kernel: 'attend', calls: 1, seconds: 2, share: 0.4 },
      { kind: 'kernel', of: 'a step', kernel: 'product int4', calls: 3, seconds: 1.5, share: 0.3 },
    ]);
    expect(slowest('a step', [{ kernel: 'attend', seconds: 0 }])).toEqual([]);
  });

  it('are told behind everything else where the device has a clock', async () => {
    const { measure, shares, runs } = await lacking();
    const { figures } = measure;
    expect(shares.slice(-2)).toEqual([10 / 11, 1]);
    expect(figures.slice(6)).toMatchObject([
      { kind: 'kernel', of: 'decoding 16', kernel: 'product', share: 1 },
      { kind: 'kernel', of: 'training', kernel: 'product', share: 1 },
    ]);
    expect(runs).toBe(2);
  });
});

describe('what was measured', () => {
  it.each<[Figure, string, string]>([
    [{ kind: 'copy', bytesPerSecond: 1.234e11 }, '123 GB/s', ''],
    [{ kind: 'product', flopsPerSecond: 7.89e9 }, '7.9 GFLOP/s', ''],
    [
      { kind: 'decode', slots: 1, context: 512, tokensPerSecond: 1680.4, ofCopy: 0.412 },
      '1,680 tokens/s',
      '41 % of copy',
    ],
    [
      {
        kind: 'kernel',
        of: 'a decode step of 16',
        kernel: 'few attend',
        calls: 24,
        seconds: 0.00125,
        share: 0.25,
      },
      '1.25 ms',
      '25 % of a decode step of 16',
    ],
    [
      { kind: 'step', tokens: 1024, tokensPerSecond: 9.87, ofProduct: 0.0312 },
      '9.9 tokens/s',
      '3.1 % of product',
    ],
  ])('is said in words: %j', (figure, value, share) => {
    expect(figureWords(figure)).toMatchObject({ value, share });
  });

  it('is exported with the device, its features, the versions and the date', () => {
    const info = {
      id: 'mini',
      revision: 'abc',
      parameters: 7,
      maxContext: 40,
      device: 'wasm' as const,
      dtype: 'f32',
      onDevice: 'int4' as const,
    };
    const figures: Figure[] = [{ kind: 'copy', bytesPerSecond: 5 }];
    expect(
      deviceReport(
        { device: 'wasm', features: ['simd'], figures },
        {
          now: new Date('2026-03-04T05:06:07Z'),
          adapter: 'one core',
          versions: { forage: '0.1.0', platform: 'Node v20' },
          policy: info,
        },
      ),
    ).toEqual({
      format: 'forage.device/1',
      measuredAt: '2026-03-04T05:06:07.000Z',
      versions: { forage: '0.1.0', platform: 'Node v20' },
      device: 'wasm',
      adapter: 'one core',
      features: ['simd'],
      policy: { id: 'mini', revision: 'abc', parameters: 7, onDevice: 'int4' },
      figures,
    });
  });
});
