import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'vite';
import { afterAll, beforeAll, expect } from 'vitest';
import { readPeft } from '../src/policy/lora/peft.ts';
import { loraSlots } from '../src/policy/lora/spec.ts';
import { createLoraTrainer } from '../test/policy/create-lora-trainer.ts';
import { present, itemAt } from '../src/base/items.ts';
import { packBatch } from '../src/policy/lora/train-batch.ts';
import { loadLoraFixture } from '../test/fixtures/qwen3-lora/load.ts';
import { loadFamily } from '../test/fixtures/families/load.ts';
import { slow } from '../test/slow/slow.ts';
import { useStage } from './browser.ts';
import type { LoraReport } from './pages/lora/worker.ts';

/** SwiftShader is far too slow to train with; what it computes is checked on a small checkpoint. */
let root: string;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'forage-lora-'));
  await build({
    configFile: resolve(import.meta.dirname, '../vite.config.ts'),
    root: resolve(import.meta.dirname, 'pages/lora'),
    publicDir: resolve(import.meta.dirname, '../test/fixtures'),
    logLevel: 'error',
    build: { outDir: root, emptyOutDir: true },
  });
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const stage = useStage({ webgpu: true, root: () => root });

/** Length of the difference, as a share of that of `b`. */
const relative = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
  expect(a.length).toBe(b.length);
  let [difference, size] = [0, 0];
  for (let i = 0; i < b.length; i++) {
    difference += ((a[i] ?? Number.NaN) - (b[i] ?? Number.NaN)) ** 2;
    size += (b[i] ?? 0) ** 2;
  }
  return Math.sqrt(difference / size);
};

slow(
  'test/policy/model/webgpu.test.ts > generates as transformers does',
  'test/policy/model/webgpu.test.ts > trains as PEFT does',
  'test/policy/model/temperature.test.ts > has their gradients, every tensor to 1e-3',
  'test/policy/ops/webgpu-many.test.ts > $name',
  'test/policy/ops/webgpu-wide.test.ts > are the oracle’s, and a row’s own whoever is beside it: %s',
  'test/policy/model/agreement.test.ts > of fewer bits is worse',
  'e2e/ask/ask-webgpu.test.ts > asks, streams, answers and plays back on WebGPU',
)(
  'samples and trains on WebGPU as transformers and PEFT do, to 1e-4: Qwen3 (also at other temperatures), SmolLM3, Gemma 3, and Qwen2 held in halves',
  async () => {
    const { page } = stage;
    await page.goto(stage.url);
    const text = await page.locator('output').textContent({ timeout: 240_000 });
    const report = JSON.parse(text ?? '') as LoraReport;
    expect(report).not.toHaveProperty('error');
    expect(report.adapter).not.toBe('');
    const { config, expected, tempered, files } = loadLoraFixture();
    const wanted = expected.sequences.flatMap(({ logprobs }) => logprobs.slice(1));
    expect(relative(report.logprobs, wanted)).toBeLessThan(1e-4);
    for (const { name, offset, length } of loraSlots(config, readPeft(config, files).spec)) {
      const got = report.gradients.slice(offset, offset + length);
      const want = present(expected.gradients[name], name);
      expect(relative(got, want), name).toBeLessThan(1e-4);
      const warm = report.tempered.gradients.slice(offset, offset + length);
      const wantWarm = present(tempered.gradients[name], name);
      expect(relative(warm, wantWarm), `${name}, tempered`).toBeLessThan(1e-4);
    }
    const wantedAtT = tempered.sequences.flatMap(({ logprobs }) => logprobs.slice(1));
    expect(relative(report.tempered.logprobs, wantedAtT)).toBeLessThan(1e-4);

    for (const [of, name] of [
      [report.family, 'smollm3'],
      [report.gemma, 'gemma3'],
    ] as const) {
      const family = await loadFamily(name);
      const { greedy, sequences } = family.expected;
      const count = of.ids.length;
      expect(of.ids).toEqual(greedy.ids.slice(0, count));
      expect(relative(of.sampledLogprobs, greedy.logprobs.slice(0, count))).toBeLessThan(1e-4);
      const logprobs = sequences.flatMap((s) => s.logprobs.slice(1));
      expect(relative(of.logprobs, logprobs)).toBeLessThan(1e-4);
      for (const slot of loraSlots(family.source.config, family.adapter.spec)) {
        const got = of.gradients.slice(slot.offset, slot.offset + slot.length);
        const want = present(family.gradients.get(slot.name), slot.name).data;
        expect(relative(got, want), slot.name).toBeLessThan(1e-4);
      }
    }

    // Matrices in halves, as a GPU holds those of a bf16 checkpoint: nothing is lost.
    const { halves } = report;
    const half = await loadFamily('qwen2');
    expect(half.source.dtype).toBe('bf16');
    expect(halves.held).toEqual(Array.from({ length: 4 }, () => 'f16'));
    expect(halves.ids).toEqual(half.expected.greedy.ids.slice(0, 2));
    expect(
      relative(halves.sampledLogprobs, half.expected.greedy.logprobs.slice(0, 2)),
    ).toBeLessThan(1e-4);
    const first = itemAt(half.expected.sequences, 0);
    expect(relative(halves.logprobs, first.logprobs.slice(1))).toBeLessThan(1e-4);
    const { spec, flat } = half.adapter;
    const limits = { maxTokens: 128, maxLength: 64 };
    const reference = await createLoraTrainer(half.source, spec, limits, 'wasm', 'f32');
    await reference.setAdapter(flat);
    await reference.accumulate(
      packBatch([{ ids: first.ids, weights: first.ids.map(() => 1) }]),
      () => Float32Array.from(first.coefficients.slice(1)),
    );
    expect(relative(halves.gradients, await reference.gradients())).toBeLessThan(1e-4);
    expect(stage.faults).toEqual([]);
  },
  300_000,
);
