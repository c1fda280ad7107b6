import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeRandomCheckpoint } from '../../test/policy/checkpoint/random-checkpoint.ts';
import { slow } from '../../test/slow/slow.ts';
import { useStage } from '../browser.ts';
import { fillSmall, status } from '../training.ts';

/** What the page promises of a run, by what it measured here, and what it shows while the run works. */

const stage = useStage();
const LONG = 300_000;

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'wide-qwen-'));
  // Few weights, but contexts of 4,096 tokens take 2.7 GB each.
  const heads = { num_attention_heads: 16, num_key_value_heads: 16, head_dim: 512 };
  writeRandomCheckpoint(folder, 'qwen', { num_hidden_layers: 10, ...heads });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Seconds of "≈ 1 h 21 min". */
const seconds = (text: string): number =>
  [...text.matchAll(/([\d.]+) (h|min|s)\b/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * { h: 3600, min: 60, s: 1 }[unit as 's'],
    0,
  );

test(
  'the form measures this device by itself, and all of its times follow from one measurement',
  async () => {
    const { page } = stage;
    await fillSmall(page, stage, { steps: 20, questions: 2, group: 2, heldOut: 2 });
    const estimate = page.getByTestId('estimate');
    await page.getByTestId('measuring').waitFor();
    // Nothing is promised before it is measured.
    expect(await estimate.textContent()).not.toMatch(/≈/);
    await estimate
      .getByText(/measured on this device with \d+ rollouts/)
      .waitFor({ timeout: LONG });
    const times = async () => {
      const words = (await estimate.textContent()) ?? '';
      const [, step = '', steps = ''] =
        /≈ (.*) per step.*≈ (.*) for 20 steps\+ .* before step 1/.exec(
          words.replace(/.*?per step≈/, '≈'),
        ) ?? [];
      return { step: seconds(step), steps: seconds(steps) };
    };
    const known = await times();
    expect(known.step).toBeGreaterThan(0);
    // As rounded as they are shown.
    expect(known.steps / (20 * known.step)).toBeGreaterThan(0.9);
    expect(known.steps / (20 * known.step)).toBeLessThan(1.1);
    // It is kept, and the button measures again.
    await page.reload();
    await estimate.getByText(/measured on this device with \d+ rollouts/).waitFor();
    expect(await times()).toEqual(known);
    await estimate.getByRole('button', { name: 'Measure again' }).click();
    await page.getByTestId('measuring').getByRole('button', { name: 'Cancel' }).click();
    await page.getByTestId('measuring').waitFor({ state: 'hidden' });
    expect(stage.faults).toEqual([]);
  },
  LONG,
);

interface Sample {
  at: number;
  phase: string;
  text: string;
}

/** What the page says of the run's progress, every half second. */
const sampling = (page: Page) =>
  page.evaluate(() => {
    const samples: Sample[] = [];
    Object.assign(globalThis, { progressSamples: samples });
    const words = (id: string) => document.querySelector(`[data-testid=${id}]`)?.textContent ?? '';
    setInterval(() => {
      const phase = words('phase');
      if (phase !== '')
        samples.push({ at: performance.now(), phase, text: `${phase} ${words('activity')}` });
    }, 500);
  });

slow(
  'test/lab/train/measure.test.ts > gives a run its time to go before the first step',
  'test/learn/rl/interrupted.test.ts > works with the run’s signal, is told when to stop, tells its progress and saves',
  'e2e/train/measured.test.ts > the form measures this device by itself, and all of its times follow from one measurement',
)(
  'progress moves in every phase: measurement, warm-up, baseline, rollouts and update',
  async () => {
    const { page } = stage;
    await page.goto(`${stage.url}train?new=1&device=wasm`);
    await page.getByLabel('Recipe', { exact: true }).selectOption('kunlun-baize/whole');
    for (const fold of ['Cold start, then RL', 'Held-out score'])
      await page.getByText(fold).first().click();
    const fields = {
      Steps: '10',
      'Questions per step': '4',
      'Rollouts per question': '4',
      'Rollouts tried': '16',
      'Updates at most': '4',
      'Demonstrations per update': '8',
      'Held-out questions': '8',
    };
    for (const [label, value] of Object.entries(fields))
      await page.getByLabel(label, { exact: true }).fill(value);
    await page.getByRole('button', { name: 'Start training' }).click();
    await page.waitForURL(/run=/);
    await sampling(page);
    const read = () =>
      page.evaluate(() => (globalThis as unknown as { progressSamples: Sample[] }).progressSamples);
    const phases = async () => [...new Set((await read()).map(({ phase }) => phase))].join();
    for (const name of ['Warm-up: rollouts', 'Warm-up: updates', 'Baseline', 'rollouts', 'update'])
      await expect.poll(phases, { timeout: LONG, interval: 500 }).toContain(name);
    const samples = await read();
    let [changed, longest] = [samples[0]!.at, 0];
    samples.forEach(({ at, text }, i) => {
      if (i > 0 && text === samples[i - 1]!.text) longest = Math.max(longest, at - changed);
      else changed = at;
    });
    expect(longest).toBeLessThan(3000);
    // The run lasted long enough for that to mean something.
    expect(samples.at(-1)!.at - samples[0]!.at).toBeGreaterThan(6000);
    await page.getByText('Stop …').click();
    await page
      .getByRole('button', { name: /^Stop now/ })
      .first()
      .click();
    await status(page, 'stopped');
    expect(stage.faults).toEqual([]);
  },
  LONG,
);

test(
  'a run that does not fit cannot be started, and the page says what would fit',
  async () => {
    const { page } = stage;
    const name = basename(folder);
    await page.goto(`${stage.url}models?device=wasm`);
    await page.getByLabel('Folder of a checkpoint').setInputFiles(folder);
    await page.getByRole('button', { name: /^Copy/ }).click();
    await page.getByText('ready', { exact: true }).waitFor();
    await page.getByRole('button', { name: `Use ${name}` }).click();
    await page.goto(`${stage.url}train?new=1&device=wasm`);
    await page.getByLabel('Recipe', { exact: true }).selectOption('search/grpo');
    await page.getByLabel('Steps', { exact: true }).fill('100');
    const refused = page.getByTestId('does-not-fit');
    await refused.waitFor();
    expect(await refused.textContent()).toMatch(
      /Training does not fit this device: with one rollout at a time it needs [\d.]+ GB, and this device gives 4\.29 GB\. It would fit .*\./,
    );
    expect(await page.getByRole('button', { name: 'Start training' }).isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: /^Try it/ }).isDisabled()).toBe(true);
    expect(await page.getByTestId('measuring').count()).toBe(0);
    expect(stage.faults).toEqual([]);
  },
  LONG,
);
