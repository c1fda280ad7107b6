import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { expect, it, vi } from 'vitest';
import { chromiumFlags, ensureChromium } from '../../scripts/chromium.mjs';
import { openPage, useStage, visit } from '../browser.ts';

/** Storage that is deleted, denied or full under the page, and a lab worker that is lost on a page other than Ask. */

const stage = useStage();
vi.setConfig({ testTimeout: 120_000 });

const SMALL = 'test/fixtures/inspect/kunlun-baize-dev.jsonl';

const notice = (page: Page) => page.getByTestId('storage-news');

/** Asks one question, by the method that needs least. @param button of Ask as it is shown */
const ask = async (page: Page, button = 'Run'): Promise<void> => {
  await visit(page, stage, 'ask?device=wasm&recipe=naive-rag');
  await page.waitForSelector('.status:has-text("web passages")');
  await page.getByRole('button', { name: button, exact: true }).click();
  await page.locator('.column[data-finished=true]').first().waitFor();
};

const importSmall = async (page: Page): Promise<void> => {
  await visit(page, stage, 'rollouts');
  await page.getByLabel('Rollout files').setInputFiles(SMALL);
  // One file is opened once it is stored.
  await page.waitForURL(({ href }) => href !== `${stage.url}rollouts`);
  await visit(page, stage, 'rollouts');
};

const files = (page: Page) => page.getByRole('link', { name: /kunlun-baize-dev\.jsonl/ });

it('says once that another tab deleted what was stored; asking works, and a reload starts afresh', async () => {
  const { page } = stage;
  await importSmall(page);
  await files(page).first().waitFor();
  const other = await page.context().newPage();
  await other.goto(`${stage.url}world/manifest.json`);
  await other.evaluate(async () => {
    for (const { name = '' } of await indexedDB.databases()) {
      const request = indexedDB.deleteDatabase(name);
      await new Promise((resolve) => request.addEventListener('success', resolve));
    }
  });
  await other.close();
  await notice(page).waitFor();
  expect(await notice(page).count()).toBe(1);
  expect(await notice(page).innerText()).toMatch(
    /The data stored for this page was deleted, .*; reload the page; /,
  );
  await ask(page);
  await visit(page, stage, 'rollouts');
  await notice(page).getByRole('button', { name: 'Reload' }).click();
  await page.waitForLoadState();
  await page.getByRole('heading', { name: 'Rollouts', exact: true }).waitFor();
  expect(await notice(page).count()).toBe(0);
  expect(await files(page).count()).toBe(0);
  // What is stored from now on stays.
  await importSmall(page);
  await files(page).first().waitFor();
});

it('refuses a file that does not fit, and keeps what was stored', async () => {
  // Chromium remembers for a while how much room a site had: so it is small from the start.
  const page = await openPage(stage);
  await page.goto(`${stage.url}rollouts`);
  const devtools = await page.context().newCDPSession(page);
  const origin = new URL(stage.url).origin;
  await devtools.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 2e6 });
  await importSmall(page);
  await files(page).first().waitFor();
  // Text that gzip makes hardly smaller.
  const output = `<answer>${randomBytes(6e6).toString('base64')}</answer>`;
  await page.getByLabel('Rollout files').setInputFiles({
    name: 'second.jsonl',
    mimeType: 'application/json',
    buffer: Buffer.from(`${JSON.stringify({ question: 'Who?', answer: 'Me', output })}\n`),
  });
  const alert = page
    .getByRole('alert')
    .filter({ hasText: 'The browser’s storage for this site is full' });
  await alert.waitFor();
  expect(await alert.innerText()).toMatch(/; delete models, runs, files .* is kept/);
  await page.reload();
  await files(page).first().waitFor();
  expect(await page.getByRole('link', { name: /second/ }).count()).toBe(0);
  await page.context().close();
});

it('says on any page that the lab worker was lost; a restart continues with what is stored', async () => {
  const { page } = stage;
  await visit(page, stage, 'train');
  const worker = page.workers().findLast((one) => one.url().includes('/lab-'));
  await worker!.evaluate(() => self.close());
  const alert = page.getByRole('alert').filter({ hasText: 'The lab worker was lost' });
  await alert.waitFor();
  expect(await alert.innerText()).toContain('everything stored are kept');
  await page.getByRole('button', { name: 'Restart it' }).click();
  await alert.waitFor({ state: 'detached' });
  await ask(page);
  await visit(page, stage, 'rollouts');
  await files(page).first().waitFor();
});

it('a browser that blocks site data: each page says what it cannot read, one notice says why, and asking works', async () => {
  const profile = mkdtempSync(join(tmpdir(), 'forage-blocked-'));
  mkdirSync(join(profile, 'Default'));
  const blocked = { profile: { default_content_setting_values: { cookies: 2 } } };
  writeFileSync(join(profile, 'Default/Preferences'), JSON.stringify(blocked));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: ensureChromium(),
    args: [...chromiumFlags({ webgpu: false }), '--disable-gpu'],
  });
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    await page.goto(`${stage.url}train`);
    for (const [path, what] of [
      ['train', 'The runs could not be read.'],
      ['corpus', 'The collections could not be read.'],
      ['evaluate', 'The evaluations could not be read.'],
      // Of several lists, the last that failed is named.
      ['rollouts', /could not be read\.$/],
      ['models', null],
    ] as const) {
      await visit(page, stage, path);
      if (what !== null) await page.getByText(what).waitFor();
      await notice(page).waitFor();
      expect(await page.getByText('does not let the page store anything').count()).toBe(1);
    }
    // Without storage each visit is the first.
    await ask(page, 'Watch it answer');
    // It is replayed; the answer comes last.
    await page.locator('.part[data-kind="answer"]').waitFor();
  } finally {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  }
});
