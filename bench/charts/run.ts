/**
 * Main-thread tasks of the training page with a run of many steps, in headless Chromium against the
 * built page (`npx vite build` first): while it opens, while a pointer moves over its charts, and
 * while it trains on. The steps are made up here and imported as a file; the training is real.
 *
 *   npx tsx bench/charts/run.ts [--steps 10000] [--json]
 */
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { z } from 'zod';
import { chromiumFlags, ensureChromium } from '../../scripts/chromium.mjs';
import { serve } from '../../scripts/serve/server.mjs';
import { getTraining } from '../../src/systems/index.ts';
import { initialState } from '../../src/learn/rl/state.ts';
import { parsePolicyConfig } from '../../src/policy/checkpoint/config.ts';
import type { RunRecord } from '../../src/lab/contract/records/runs.ts';
import { writeRunFile } from '../../src/lab/train/records.ts';
import type { TrainStep } from '../../src/records/training.ts';
import { LIMIT_MS, traceMainThread, type MainThread } from '../page/main-thread.ts';
import '../../src/systems/rewards.ts';

const DIST = resolve(import.meta.dirname, '../../dist');
const { values } = parseArgs({
  options: {
    steps: { type: 'string', default: '10000' },
    json: { type: 'boolean', default: false },
  },
});
const STEPS = Number(values.steps);
const FURTHER = 8;

const settings = {
  ...getTraining('search/grpo'),
  steps: STEPS + 1000,
  questions: 2,
  groupSize: 4,
  heldOut: { questions: 0, every: 1, temperature: 0.3 },
};

/** A step's record; values wander as those of a run do. */
const stepRecord = (step: number): TrainStep => {
  const wave = (period: number, phase = 0): number =>
    0.5 + 0.3 * Math.sin(step / period + phase) + 0.2 * Math.sin(step * 12.9898 + phase);
  return {
    format: 'forage.step/1',
    runId: 'long',
    step,
    stage: 0,
    at: new Date(1.7e12 + step * 7000).toISOString(),
    rollouts: 8,
    groups: 2,
    zeroVarianceGroups: step % 3,
    generationBatches: 1,
    reward: { mean: wave(900), std: wave(300), clauses: { em: wave(900), format: wave(500, 1) } },
    em: wave(900),
    f1: wave(800),
    recall: wave(700),
    searches: 2 + wave(600),
    formatValid: wave(500),
    responseTokens: 60 * wave(1000),
    entropy: wave(400),
    loss: wave(200) - 0.5,
    kl: wave(350),
    clipShare: wave(250),
    samplerGap: { max: 1e-5 * wave(100), mean: 1e-7 },
    gradientNorm: wave(150),
    learningRate: 1e-3,
    sampledTokens: 4000,
    trainedTokens: 3000,
    tokensPerSecond: 800 * wave(220),
    seconds: { rollout: wave(120), update: wave(130), heldOut: 0, checkpoint: 0.1, total: 7 },
    drawn: { uniform: 2 },
    heldOut: null,
    router: null,
  };
};

function runFile(): string {
  const config = parsePolicyConfig(
    JSON.parse(readFileSync(join(DIST, 'policy/config.json'), 'utf8')) as unknown,
  );
  const weights = readFileSync(join(DIST, 'policy/model.safetensors'));
  const manifest: unknown = JSON.parse(readFileSync(join(DIST, 'world/manifest.json'), 'utf8'));
  const { seed } = z.object({ seed: z.number() }).parse(manifest);
  const run: RunRecord = {
    format: 'forage.run/6',
    id: 'long',
    name: 'long',
    tags: [],
    notes: '',
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
    status: 'paused',
    settings,
    policy: {
      id: 'baize-mini',
      revision: createHash('sha256').update(weights).digest('hex').slice(0, 12),
    },
    world: { seed, questions: 0 },
    device: 'wasm',
    step: STEPS,
    checkpointStep: STEPS,
    failure: null,
    notice: null,
    deletedAt: null,
  };
  const steps = Array.from({ length: STEPS }, (_, i) => stepRecord(i + 1));
  return writeRunFile({ run, steps, state: { ...initialState(settings, config), step: STEPS } });
}

const folder = mkdtempSync(join(tmpdir(), 'forage-charts-'));
const file = join(folder, 'long.run.json');
writeFileSync(file, runFile());
const server = await serve({ root: DIST });
const browser = await chromium.launch({
  executablePath: ensureChromium(),
  args: chromiumFlags({ webgpu: false }),
});
try {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(`${server.url}runs`);
  const phases: Record<string, MainThread> = {};
  phases['import'] = await traceMainThread(browser, page, async () => {
    await page.getByLabel('Run files').setInputFiles(file);
    await page.getByRole('link', { name: 'long' }).waitFor({ timeout: 120_000 });
  });
  phases['open'] = await traceMainThread(browser, page, async () => {
    await page.getByRole('link', { name: 'long' }).click();
    await page.locator('[data-chart] .recharts-line').first().waitFor({ state: 'attached' });
    await page.waitForTimeout(2000);
  });
  phases['hover'] = await traceMainThread(browser, page, async () => {
    const box = await page.locator('[data-chart]').first().boundingBox();
    if (!box) throw new Error('bench: no chart');
    for (let i = 0; i <= 60; i++) {
      await page.mouse.move(box.x + (box.width * i) / 60, box.y + box.height / 2);
      await page.waitForTimeout(16);
    }
  });
  phases['scroll'] = await traceMainThread(browser, page, async () => {
    for (let i = 0; i < 20; i++) {
      await page.mouse.wheel(0, i < 10 ? 300 : -300);
      await page.waitForTimeout(50);
    }
  });
  phases['train'] = await traceMainThread(browser, page, async () => {
    await page.getByRole('button', { name: /^Resume after step/ }).click();
    await page.locator('[data-testid="phase"]').waitFor({ timeout: 60_000 });
    await page.waitForFunction(
      (wanted) =>
        document.querySelector<HTMLProgressElement>('progress[aria-label="Steps done"]')!.value >=
        wanted,
      STEPS + FURTHER,
      { timeout: 300_000 },
    );
    await page.getByText('Stop …').click();
    await page.getByRole('button', { name: /^Stop now and keep/ }).click();
  });
  if (values.json) console.log(JSON.stringify({ steps: STEPS, phases }));
  else
    for (const [name, main] of Object.entries(phases))
      console.log(
        `${name.padEnd(8)} ${String(main.tasks).padStart(6)} tasks; longest ${main.longestOwnMs.toFixed(1)} ms of its own ` +
          `(${main.overLimitOwn} over ${LIMIT_MS}), ${main.longestWallMs.toFixed(1)} ms by the clock (${main.overLimitWall} over ${LIMIT_MS})`,
      );
} finally {
  await browser.close();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
}
