import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'vite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { useStage } from '../browser.ts';

/** A page of its own, built and served as the real one is: no encoder but the built-in one ships. */
let root: string;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'forage-encoders-'));
  await build({
    configFile: resolve(import.meta.dirname, '../../vite.config.ts'),
    root: resolve(import.meta.dirname, '../pages/encoders'),
    publicDir: false,
    logLevel: 'error',
    assetsInclude: ['**/*.onnx'],
    build: { outDir: root, emptyOutDir: true },
  });
}, 240_000);
afterAll(() => rmSync(root, { recursive: true, force: true }));

const stage = useStage({ root: () => root, webgpu: true });

it('stores an encoder folder and encodes as sentence-transformers does, on WASM and on WebGPU', async () => {
  const { page } = stage;
  await page.goto(stage.url);
  const text = await page.locator('output').textContent({ timeout: 60_000 });
  const report = JSON.parse(text ?? '') as { wasm: number; webgpu: number; stored: number };
  expect(report).toEqual({
    stored: 1,
    wasm: expect.any(Number),
    webgpu: expect.any(Number),
  });
  expect(report.wasm).toBeLessThan(1e-5);
  expect(report.webgpu).toBeLessThan(1e-3);
  expect(stage.faults).toEqual([]);
}, 240_000);
