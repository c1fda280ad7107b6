import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHash } from 'node:crypto';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, vi } from 'vitest';
import { serve, type Served } from '../scripts/serve/server.mjs';
import { type RunFile, readRunFile } from '../src/lab/train/records.ts';
import { getTraining } from '../src/systems/index.ts';
import { slow } from '../test/slow/slow.ts';
import { DIST, visit } from './browser.ts';
import { KillableBrowser } from './killable.ts';
import { stepsDone } from './training.ts';

/**
 * A run whose tab is killed again and again, also while it writes snapshots, ends in the same bits
 * as one that nobody disturbed. FORAGE_KILLS sets how often (3 by default; 50 take some
 * minutes).
 */
const KILLS = Number(process.env.FORAGE_KILLS ?? 3);

/** A kill comes after at most so many steps; those after the last kill are what it can be late by. */
const STEPS_PER_KILL = 12;
const STEPS = STEPS_PER_KILL * (KILLS + 1);
/** A kill and what follows it take some seconds on two cores, and far more on busy ones. */
vi.setConfig({ testTimeout: 300_000 + KILLS * 60_000 });

const settings = {
  ...getTraining('search/grpo'),
  // Short rollouts, hot enough to differ in length, and punished by length: the adapter changes, whatever the policy.
  recipe: 'naive-rag',
  overrides: { budgets: { tokens: 80, stepTokens: 20, answerTokens: 8 } },
  seed: 11,
  steps: STEPS,
  questions: 1,
  groupSize: 3,
  temperature: 2,
  overlong: { max: 40, buffer: 40 },
  stages: [{ steps: STEPS, reward: 'f1' as const, weights: {} }],
  adapter: { rank: 2, alpha: 4, targets: ['q_proj' as const, 'v_proj' as const] },
  heldOut: { questions: 0, every: 1, temperature: 0.3 },
};

/** Beginning of the hash of the weights and seed of the world, as runs name what they belong to. */
const sha256 = createHash('sha256').update(readFileSync(join(DIST, 'policy/model.safetensors')));
const policy = { id: 'baize-mini', revision: sha256.digest('hex').slice(0, 12) };
const world = JSON.parse(readFileSync(join(DIST, 'world/manifest.json'), 'utf8')) as {
  seed: number;
};

const runFile = (id: string, name: string): string =>
  JSON.stringify({
    format: 'forage.run-export/1',
    run: {
      format: 'forage.run/6',
      id,
      name,
      tags: [],
      notes: '',
      createdAt: '2026-01-01T00:00:00.000Z',
      updatedAt: '2026-01-01T00:00:00.000Z',
      status: 'paused',
      settings,
      policy,
      world: { seed: world.seed, questions: 0 },
      device: 'wasm',
      step: 0,
      checkpointStep: null,
      failure: null,
      notice: null,
      deletedAt: null,
    },
    steps: [],
    state: null,
  });

let server: Served;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'forage-kill-'));
  server = await serve({ root: DIST });
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

/** Not "Go on", which gives a finished run more steps. */
const RESUME = /^(Resume|Start again)/;

const resume = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: RESUME }).click();
  await page.waitForSelector('[data-status="running"]');
};

const imported = async (page: Page, id: string): Promise<void> => {
  const path = join(folder, `${id}.json`);
  writeFileSync(path, runFile(id, `run ${id}`));
  await page.getByLabel('Run files').setInputFiles(path);
  await page.getByText(`run ${id}`).first().waitFor();
};

/** The file that "Export the run" hands to the browser. */
const exported = async (page: Page, id: string): Promise<RunFile> => {
  await visit(page, server, 'runs');
  await page.getByRole('button', { name: `Edit and export run ${id}` }).click();
  await page.evaluate(() => {
    delete document.body.dataset.exported;
    const create = URL.createObjectURL.bind(URL);
    URL.createObjectURL = (blob: Blob) => {
      void blob.text().then((text) => (document.body.dataset.exported = text));
      return create(blob);
    };
  });
  await page.getByRole('button', { name: /^Export the run/ }).click();
  await page.waitForFunction(() => document.body.dataset.exported !== undefined);
  const file = readRunFile(await page.evaluate(() => document.body.dataset.exported ?? ''));
  expect(file.run.id).toBe(id);
  return file;
};

const finished = (page: Page): Promise<unknown> =>
  page.waitForSelector('[data-status="finished"]', { timeout: 300_000 });

/** Half of the kills come at any time, half while a snapshot is being written; none waits beyond step `last`. */
const moment = async (page: Page, random: () => number, last: number): Promise<string> => {
  const lastIsDone = async () => {
    while ((await stepsDone(page)) < last) await page.waitForTimeout(20);
  };
  const snapshot = page.locator('[data-testid="phase"]', { hasText: 'snapshot' });
  const atAnyTime = random() < 0.5;
  const awaited = atAnyTime ? page.waitForTimeout(random() * 1500) : snapshot.waitFor();
  // What did not come first ends with the page.
  await Promise.any([awaited, lastIsDone()]);
  if (!atAnyTime) await page.waitForTimeout(random() * 15);
  return atAnyTime ? 'any time' : 'snapshot';
};

/** A generator whose seed is in the report of a failed test. */
const seeded = (seed: number) => {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
};

/** All that must be equal: what steps measured, and the state to the bit; times of day differ. */
const comparable = ({ steps, state }: RunFile) => ({
  steps: steps.map(({ step, reward, em, f1, loss, gradientNorm, searches, drawn }) => ({
    step,
    reward,
    em,
    f1,
    loss,
    gradientNorm,
    searches,
    drawn,
  })),
  state: state && { ...state, elapsed: 0 },
});

slow(
  'test/lab/train/training.test.ts > killed at its write %i, and again, loses no step that was told as stored, and ends in the bits of one that nobody disturbed',
  'e2e/corpus/collections-kill.test.ts > is killed in the middle of an import',
)(
  `loses nothing that was committed in ${KILLS} kills, and ends in the bits of an undisturbed run`,
  async () => {
    const seed = Number(process.env.FORAGE_SEED ?? Date.now() % 1e6);
    const random = seeded(seed);
    // A profile of its own for each attempt: a second one begins with nothing stored.
    const browser = new KillableBrowser();
    const open = (path: string): Promise<Page> => browser.open(`${server.url}${path}`);
    try {
      let page = await open('runs');
      await imported(page, 'calm');
      await imported(page, 'killed');

      await visit(page, server, 'train?run=killed');
      let shown = 0;
      for (let n = 1; n <= KILLS; n++) {
        const where = `seed ${seed}, kill ${n}`;
        await page.getByRole('button', { name: RESUME }).waitFor();
        // A committed step is on the disk: none that was shown as done may be gone.
        expect(await stepsDone(page), where).toBeGreaterThanOrEqual(shown);
        expect(await page.getByRole('alert').count(), where).toBe(0);
        await resume(page);
        const when = await moment(page, random, n * STEPS_PER_KILL);
        shown = await stepsDone(page);
        await browser.kill();
        expect(shown, `${where} (${when}): the run was over`).toBeLessThan(STEPS);
        page = await open('train?run=killed');
      }
      await resume(page);
      await finished(page);
      const killed = await exported(page, 'killed');

      await page.goto(`${server.url}train?run=calm`);
      await resume(page);
      await finished(page);
      const calm = await exported(page, 'calm');
      expect(calm.steps).toHaveLength(STEPS);
      // Else equal bits would say nothing: no update would have changed the state.
      const changed = calm.steps.filter(({ gradientNorm }) => (gradientNorm ?? 0) > 0);
      expect(changed.length).toBeGreaterThanOrEqual(STEPS / 2);
      expect(comparable(killed)).toEqual(comparable(calm));
    } finally {
      await browser.end();
    }
  },
);
