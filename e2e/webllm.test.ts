import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { chromium } from 'playwright-core';
import { build } from 'vite';
import { expect, it } from 'vitest';
import { chromiumFlags, ensureChromium } from '../scripts/chromium.mjs';
import { serve } from '../scripts/serve/server.mjs';
import type { Rollout } from '../src/records/rollout.ts';

/**
 * WebLLM with a compiled library and weights, in its worker, to the end of a rollout. FORAGE_WEBLLM
 * names the folder: what scripts/webllm-model.ts writes (random weights do).
 */

const model = process.env['FORAGE_WEBLLM'];
/** SwiftShader needs seconds per token. */
const MINUTES = 60 * 60_000;

type Told = { failure: string } | { loadMs: number; totalMs: number; rollout: Rollout };

const builtPage = async (): Promise<string> => {
  const outDir = mkdtempSync(join(tmpdir(), 'forage-webllm-'));
  await build({
    configFile: false,
    root: resolve(import.meta.dirname, 'pages/webllm'),
    base: './',
    logLevel: 'warn',
    worker: { format: 'es' },
    build: { outDir, target: 'es2022', chunkSizeWarningLimit: 10_000 },
  });
  return outDir;
};

it.skipIf(model === undefined)(
  'runs a rollout with a WebLLM model to its end (set FORAGE_WEBLLM to a model folder)',
  async () => {
    const root = await builtPage();
    symlinkSync(resolve(model ?? ''), join(root, 'model'));
    const server = await serve({ root });
    const browser = await chromium.launch({
      executablePath: ensureChromium(),
      args: chromiumFlags({ webgpu: true }),
    });
    try {
      const page = await browser.newPage();
      page.on('console', (message) => console.log(message.text().slice(0, 300)));
      await page.goto(server.url);
      const output = page.locator('output');
      await output.waitFor({ state: 'attached', timeout: MINUTES });
      const told: Told = JSON.parse((await output.textContent()) ?? '');
      if ('failure' in told) throw new Error(told.failure);
      const { loadMs, totalMs, rollout } = told;
      expect(rollout.events.at(-1)?.kind).toBe('stop');
      // Random weights break the protocol; nothing else may go wrong.
      const errors = rollout.events.flatMap((event) =>
        event.kind === 'error' ? [event.what] : [],
      );
      expect(errors.filter((what) => what !== 'malformed')).toEqual([]);
      const sampled = rollout.segments.filter((segment) => segment.mask === 1);
      const count = sampled.flatMap(({ ids }) => ids).length;
      const logprobs = sampled.flatMap(({ logprobs: values }) => values ?? []);
      console.log(JSON.stringify({ loadMs, totalMs, tokens: count, logprobs }));
      expect(count).toBeGreaterThan(0);
      expect(logprobs.length).toBeGreaterThan(0);
      expect(logprobs.every((value) => Number.isFinite(value) && value <= 0)).toBe(true);
      // What they mean is said in the record.
      expect(rollout.policy.logprobs).toContain('WebLLM');
    } finally {
      await browser.close();
      await server.close();
      rmSync(root, { recursive: true, force: true });
    }
  },
  MINUTES,
);
