import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'vite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { useStage } from '../browser.ts';

/**
 * HNSW is not a choice of the page: the built-in world is small enough for the exact scan. So a page of its
 * own is built as the real one is, and served with the same content security policy.
 */
let root: string;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'forage-hnsw-'));
  await build({
    configFile: resolve(import.meta.dirname, '../../vite.config.ts'),
    root: resolve(import.meta.dirname, '../pages/hnsw'),
    publicDir: false,
    logLevel: 'error',
    build: { outDir: root, emptyOutDir: true },
  });
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const stage = useStage({ root: () => root });

it('builds and searches an HNSW graph in a worker of a production build, under its content security policy', async () => {
  const { page } = stage;
  await page.goto(stage.url);
  const text = await page.locator('output').textContent();
  expect(JSON.parse(text ?? '')).toEqual({
    size: 800,
    queries: 40,
    recallAt10: expect.any(Number),
    worstSimilarity: 0,
    evalRefused: true,
  });
  const { recallAt10 } = JSON.parse(text ?? '') as { recallAt10: number };
  expect(recallAt10).toBeGreaterThan(0.9);
  expect(stage.faults).toEqual([]);
});
