import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { launch, type Browser, type Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serve, type Served } from '../scripts/serve/server.mjs';
import { DIST } from './browser.ts';

/**
 * The page in an installed Firefox, driven by WebDriver BiDi: Playwright's own driver asks a Firefox for
 * commands that the release for long support does not have.
 */

const PLACES = [
  '/usr/bin/firefox-esr',
  '/usr/bin/firefox',
  '/Applications/Firefox.app/Contents/MacOS/firefox',
];
const firefox = process.env['FORAGE_FIREFOX'] ?? PLACES.find((path) => existsSync(path));

const LONG = 120_000;

describe.skipIf(firefox === undefined)('in Firefox (skipped where none is installed)', () => {
  let server: Served;
  let browser: Browser;
  let page: Page;
  const faults: string[] = [];

  beforeAll(async () => {
    if (firefox === undefined) return;
    server = await serve({ root: DIST });
    browser = await launch({
      browser: 'firefox',
      executablePath: firefox,
      headless: true,
      timeout: LONG,
    });
    page = await browser.newPage();
    page.setDefaultTimeout(LONG);
    await page.setViewport({ width: 1280, height: 900 });
    page.on('pageerror', (error) =>
      faults.push(error instanceof Error ? error.message : String(error)),
    );
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  const press = (name: string): Promise<void> =>
    page.locator(`button ::-p-text(${name})`).setTimeout(LONG).click();
  const worksOffline = (): Promise<unknown> =>
    page.waitForFunction(() =>
      document.querySelector('[data-testid="offline"]')?.textContent?.includes('works offline'),
    );
  const shows = (selector: string): Promise<unknown> => page.waitForSelector(selector);

  it('a first visit runs a rollout to its answer, on WASM', async () => {
    await page.goto(`${server.url}?device=wasm`);
    await press('Run an example');
    await shows('.column[data-finished="true"]');
    const answer = await page.$eval('.card[data-kind="answer"]', (card) => card.textContent);
    expect(answer).toMatch(/\S/);
    expect(await page.evaluate(() => crossOriginIsolated)).toBe(true);
  });

  it('trains two steps', async () => {
    // As an earlier visit left the form.
    await page.evaluate(() =>
      localStorage.setItem(
        'forage.train-draft',
        JSON.stringify({
          training: 'search/grpo',
          changes: {
            recipe: 'naive-rag',
            steps: 2,
            questions: 1,
            groupSize: 2,
            'heldOut.questions': 0,
          },
          name: '',
          device: 'wasm',
        }),
      ),
    );
    await page.goto(`${server.url}train?new=1`);
    await press('Start training');
    await shows('.run-title .badge[data-status="finished"]');
    const done = await page.$eval('progress[aria-label="Steps done"]', (bar) =>
      bar.getAttribute('value'),
    );
    expect(done).toBe('2');
  });

  it('imports a file of rollouts', async () => {
    await page.goto(`${server.url}rollouts`);
    const field = await page.waitForSelector('input[aria-label="Rollout files"]');
    if (!field) throw new Error('there is no field for files');
    const files = field as unknown as { uploadFile(...paths: string[]): Promise<void> };
    await files.uploadFile(resolve('test/fixtures/inspect/r1-searcher-dev.jsonl'));
    await shows('tr[data-position]');
  });

  it('opens and answers after its server has gone', async () => {
    await page.goto(server.url);
    await worksOffline();
    await server.close();
    await page.reload();
    // What is pressed while the stored workers still start is another matter than that they start.
    await worksOffline();
    await press('Run an example');
    await shows('.column[data-finished="true"]');
    expect(faults).toEqual([]);
  });
});
